/** Judges the runs of an exam again and signs the marks that follow; refuses, with the reason, what does not fit. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { contractById, contractByVersion } from '../../../shared/src/contracts/index.ts';
import { Unjudgeable } from '../../../shared/src/contracts/shape.ts';
import { runExcess } from '../../../shared/src/evidence/bounds.ts';
import { canonicalDigest, isDigest, sha256 } from '../../../shared/src/evidence/digest.ts';
import { examStatement, refusedAsSigned, sealedHandIn } from '../../../shared/src/evidence/examLines.ts';
import { signStatement } from '../../../shared/src/evidence/jws.ts';
import { normalise } from '../../../shared/src/evidence/normalise.ts';
import { LINE_BYTES } from '../../../shared/src/evidence/readLine.ts';
import { examSeeds } from '../../../shared/src/evidence/seed.ts';
import { lineText, sameOutcome } from '../../../shared/src/evidence/statements.ts';
import { type ExamHandIn, type ExamRun, heldBack, isHandIn, MOST_SEEDS } from '../../../shared/src/exam.ts';
import { judge } from '../../../shared/src/judge.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import { sameJson } from '../../../shared/src/sameJson.ts';
import type { GradedHandIn, SignAnswer, SignExamParams } from '../../../shared/src/signerProtocol.ts';
import { AdapterUnreadable, isInside, readAdapter } from '../workspace/adapterFile.ts';
import type { JudgedLine } from './existing.ts';
import type { KeyPlace } from './keyPlace.ts';
import { loadKey, type SigningKey } from './keys.ts';
import type { Nonces } from './nonces.ts';
import { SigningRefused } from './refused.ts';
import { writeVerdicts } from './verdictFile.ts';

const CONFIG = 'loadline.json';
const FILE = 'exam.verdicts.jsonl';

/** Never throws for what it refuses: the answer says why. */
export async function signExam(params: SignExamParams, place: KeyPlace, nonces: Nonces): Promise<SignAnswer> {
  try {
    const contract = requireInputs(params);
    nonces.take([params.run.nonce]);
    const folder = await realpath(params.folder);
    const graded = await realpath(params.graded);
    if (graded !== folder && !(await isInside(folder, graded)))
      throw new SigningRefused(`${graded} is outside of ${folder}; an exam is signed inside it.`);
    const subject = { name: CONFIG, sha256: await digestOf(folder, join(folder, CONFIG)) };
    if (subject.sha256 !== params.inputs.config)
      throw new SigningRefused(`${CONFIG} changed since the exam began; grade again to sign it.`);
    const key = await loadKey(place);
    const line = await signedExam(params, contract, graded, key);
    const target = join(graded, FILE);
    const { verdict, notes } = await writeVerdicts({ target, folder, subject, lines: [line] }, key, place);
    return { signed: true, verdictFile: target, verdict, kid: key.kid, notes };
  } catch (error) {
    if (error instanceof SigningRefused || error instanceof AdapterUnreadable)
      return { signed: false, reason: error.message };
    throw error;
  }
}

function requireInputs({ inputs }: SignExamParams): Contract {
  const contract = contractByVersion(inputs.contract);
  if (contract === undefined)
    throw new SigningRefused(`The contract ${inputs.contract} is not one that this version can judge again.`);
  const { document, grant, config, client, guest, paper } = inputs;
  const digests = { document, grant, config, client, guest, paper };
  const missing = Object.entries(digests).find(([, value]) => !isDigest(value));
  if (missing !== undefined) throw new SigningRefused(`The digest of the ${missing[0]} is missing.`);
  return contract;
}

async function digestOf(folder: string, path: string): Promise<string> {
  return sha256(Uint8Array.from(await readAdapter(folder, path)));
}

async function signedExam(
  params: SignExamParams,
  contract: Contract,
  graded: string,
  key: SigningKey,
): Promise<JudgedLine> {
  const { inputs, environment, run, limit } = params;
  const refuse = (why: string) => new SigningRefused(`The exam is not signed: ${why}`);
  if (!Number.isInteger(params.seeds) || params.seeds < 1 || params.seeds > MOST_SEEDS)
    throw refuse(`it takes from 1 to ${MOST_SEEDS} seeds.`);
  const seeds = await examSeeds(run.nonce, contract.version, params.seeds);
  const handIns: ExamHandIn[] = [];
  for (const handIn of params.handIns) {
    if (!isHandIn(handIn.file) || (await digestNow(graded, handIn.file)) !== handIn.sha256)
      throw refuse(`${handIn.file} changed since it was graded; grade again.`);
    handIns.push(await judgedHandIn(handIn, { contract, seeds, environment }, refuse));
  }
  const refused = await Promise.all(params.refused.map(refusedAsSigned));
  const statement = await examStatement({
    ...{ inputs, environment, run: { ...run, key: key.publicKey } },
    evidence: { limit, seeds, handIns, refused },
  }).catch((error: unknown) => {
    throw error instanceof Unjudgeable ? refuse(error.message) : error;
  });
  const text = lineText(await signStatement('exam', statement, key));
  if (Buffer.byteLength(text) > LINE_BYTES)
    throw refuse('its line is larger than 8 MiB; grade fewer hand-ins.');
  return { text, statement, kid: key.kid };
}

/** Null: it cannot be read as an adapter. */
async function digestNow(graded: string, file: string): Promise<string | null> {
  try {
    return await digestOf(graded, join(graded, file));
  } catch (error) {
    if (error instanceof AdapterUnreadable) return null;
    throw error;
  }
}

interface Judging extends Pick<SignExamParams, 'environment'> {
  contract: Contract;
  seeds: readonly number[];
}

async function judgedHandIn(
  { file, sha256: digest, runs }: GradedHandIn,
  judging: Judging,
  refuse: (why: string) => SigningRefused,
): Promise<ExamHandIn> {
  const scenarios = heldBack(judging.contract).length;
  const judged: ExamRun[] = [];
  for (const [index, run] of runs.entries()) {
    const seed = judging.seeds[Math.floor(index / scenarios)];
    if (seed === undefined) throw refuse(`${file} has more runs than were asked for.`);
    const what = `${file} in ${run.scenario}`;
    judged.push(await judgedRun(run, seed, judging, (why) => refuse(`${what} ${why}`)));
  }
  return sealedHandIn({ file, sha256: digest, runs: judged });
}

async function judgedRun(
  { scenario, verdict, rules, evidence, clock, tier }: RunResult,
  seed: number,
  { contract, environment }: Judging,
  refuse: (why: string) => SigningRefused,
): Promise<ExamRun> {
  if (verdict === 'not_run') return { scenario, seed, verdict, broken: [], evidence: null };
  if (evidence === undefined || contractById(evidence.contract) !== contract)
    throw refuse('has no evidence that a verdict follows from.');
  if (clock !== environment.clock || tier !== environment.tier)
    throw refuse('ran with another clock or in another tier than is stated.');
  const known = heldBack(contract).includes(scenario);
  if (!known || !sameJson(evidence.plan, JSON.parse(JSON.stringify(contract.plan(scenario, seed)))))
    throw refuse('ran by another plan than the one that follows from the seed.');
  const excess = runExcess(evidence);
  if (excess !== null) throw refuse(`cannot be judged again: ${excess}`);
  try {
    if (!sameOutcome({ verdict, rules }, judge(evidence)))
      throw refuse('has a verdict that does not follow from its evidence.');
  } catch (error) {
    throw error instanceof Unjudgeable ? refuse(`cannot be judged again: ${error.message}`) : error;
  }
  const broken = rules.filter(({ held }) => !held).map(({ id }) => id);
  const kept = await canonicalDigest(await normalise(evidence, contract.words));
  return { scenario, seed, verdict, broken, evidence: kept };
}
