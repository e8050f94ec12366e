/** Judges runs again from their evidence and signs what follows; refuses, with the reason, what does not fit. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { Unjudgeable } from '../../../shared/src/contracts/shape.ts';
import { isDigest, sha256 } from '../../../shared/src/evidence/digest.ts';
import { signStatement } from '../../../shared/src/evidence/jws.ts';
import { LINE_BYTES } from '../../../shared/src/evidence/readLine.ts';
import { seedOf } from '../../../shared/src/evidence/seed.ts';
import { shardSuffix } from '../../../shared/src/evidence/shard.ts';
import {
  lineText,
  type Subject,
  sameOutcome,
  verdictStatement,
} from '../../../shared/src/evidence/statements.ts';
import { sameJson } from '../../../shared/src/sameJson.ts';
import type { SignAnswer, SignParams } from '../../../shared/src/signerProtocol.ts';
import { AdapterUnreadable, isInside, readAdapter } from '../workspace/adapterFile.ts';
import type { JudgedLine } from './existing.ts';
import type { KeyPlace } from './keyPlace.ts';
import { loadKey, type SigningKey } from './keys.ts';
import type { Nonces } from './nonces.ts';
import { SigningRefused } from './refused.ts';
import { type NewLines, writeVerdicts } from './verdictFile.ts';

type SignedRun = SignParams['runs'][number];

/** Never throws for what it refuses: the answer says why. */
export async function sign(params: SignParams, place: KeyPlace, nonces: Nonces): Promise<SignAnswer> {
  try {
    const contract = checked(params);
    nonces.take(params.runs.map(({ nonce }) => nonce));
    const subject = await subjectOf(params, contract);
    const target = await targetOf(params);
    const key = await loadKey(place);
    const lines: JudgedLine[] = [];
    for (const run of params.runs) lines.push(await signedRun(run, params, { contract, subject, key }));
    const [first, ...others] = lines;
    if (first === undefined) throw new SigningRefused('There is no run to sign.');
    const folder = await realpath(params.folder);
    const news = { target, folder, subject, lines: [first, ...others] } satisfies NewLines;
    const { verdict, notes } = await writeVerdicts(news, key, place);
    return { signed: true, verdictFile: target, verdict, kid: key.kid, notes };
  } catch (error) {
    if (error instanceof SigningRefused || error instanceof AdapterUnreadable)
      return { signed: false, reason: error.message };
    throw error;
  }
}

function checked({ contract: id, inputs, runs, shard }: SignParams): Contract {
  const contract = contractById(id);
  if (contract === undefined || inputs.contract !== contract.version)
    throw new SigningRefused(`The contract ${inputs.contract} is not one that this version can judge again.`);
  const { document, grant, config, client, guest } = inputs;
  const empty = Object.entries({ document, grant, config, client, guest }).find(
    ([, value]) => !isDigest(value),
  );
  if (empty !== undefined) throw new SigningRefused(`The digest of the ${empty[0]} is missing.`);
  if (shard !== undefined && ![shard.index, shard.count].every(Number.isSafeInteger))
    throw new SigningRefused('A shard is named by two whole numbers.');
  const scenarios = new Set(runs.map(({ result }) => result.scenario));
  if (runs.length === 0 || scenarios.size !== runs.length)
    throw new SigningRefused('A verdict file takes one run of each scenario, and at least one.');
  return contract;
}

/** The adapter as it is on disk now has to be the one that ran. */
async function subjectOf(params: SignParams, contract: Contract): Promise<Subject> {
  const bytes = await readAdapter(params.folder, params.adapter);
  const digest = await sha256(Uint8Array.from(bytes));
  if (digest !== params.sha256)
    throw new SigningRefused(`${params.adapter} changed since it ran; run it again to sign a verdict on it.`);
  if (params.seed !== (await seedOf(digest, contract.version)))
    throw new SigningRefused(
      'The seed is not the one derived from the adapter and its contract; run without --seed to sign.',
    );
  return { name: basename(params.adapter), sha256: digest };
}

/** `<adapter>.verdicts.jsonl` in the adapter's folder; of a shard, with its number in the name. */
async function targetOf({ folder, adapter, shard }: SignParams): Promise<string> {
  const part = shard === undefined ? '' : shardSuffix(shard);
  const name = `${basename(adapter).replace(/\.[cm]?js$/, '')}${part}.verdicts.jsonl`;
  const target = join(await realpath(dirname(adapter)), name);
  if (!(await isInside(folder, target)))
    throw new SigningRefused(`${target} is outside of ${folder}; a verdict is written inside it.`);
  return target;
}

interface Signing {
  contract: Contract;
  subject: Subject;
  key: SigningKey;
}

async function signedRun(
  { result, nonce, startedAt, endedAt }: SignedRun,
  { inputs, environment, seed }: SignParams,
  { contract, subject, key }: Signing,
): Promise<JudgedLine> {
  const { scenario, evidence, credential, verdict, rules } = result;
  const refuse = (why: string) => new SigningRefused(`${scenario} is not signed: ${why}`);
  if (evidence === undefined || credential === undefined || verdict === 'not_run')
    throw refuse('it has no evidence that a verdict follows from.');
  if (result.clock !== environment.clock || result.tier !== environment.tier)
    throw refuse('it ran with another clock or in another tier than is stated.');
  if (!contract.scenarios.some(({ id }) => id === scenario))
    throw refuse('its contract has no such scenario.');
  if (!sameJson(evidence.plan, JSON.parse(JSON.stringify(contract.plan(scenario, seed)))))
    throw refuse('its plan is not the one that follows from the seed.');
  const run = { startedAt, endedAt, nonce, jti: credential, key: key.publicKey };
  const statement = await verdictStatement({ subject, inputs, environment, run, evidence }).catch(
    (error: unknown) => {
      throw error instanceof Unjudgeable ? refuse(error.message) : error;
    },
  );
  if (!sameOutcome({ verdict, rules }, statement.predicate.outcome))
    throw refuse('its verdict does not follow from its evidence.');
  const text = lineText(await signStatement('verdict', statement, key));
  if (Buffer.byteLength(text) > LINE_BYTES) throw refuse('its evidence is larger than 8 MiB.');
  return { text, statement, kid: key.kid };
}
