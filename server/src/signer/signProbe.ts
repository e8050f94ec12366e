/** Judges a probe again from its attempts and signs what follows; refuses, with the reason, what does not fit. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Unjudgeable } from '../../../shared/src/contracts/shape.ts';
import { isDigest, sha256 } from '../../../shared/src/evidence/digest.ts';
import { signStatement } from '../../../shared/src/evidence/jws.ts';
import { probeStatement } from '../../../shared/src/evidence/probeLines.ts';
import { LINE_BYTES } from '../../../shared/src/evidence/readLine.ts';
import { lineText } from '../../../shared/src/evidence/statements.ts';
import { PROBE_VERSION } from '../../../shared/src/probeRules.ts';
import { sameJson } from '../../../shared/src/sameJson.ts';
import type { SignAnswer, SignProbeParams } from '../../../shared/src/signerProtocol.ts';
import { AdapterUnreadable, readAdapter } from '../workspace/adapterFile.ts';
import type { JudgedLine } from './existing.ts';
import type { KeyPlace } from './keyPlace.ts';
import { loadKey, type SigningKey } from './keys.ts';
import type { Nonces } from './nonces.ts';
import { SigningRefused } from './refused.ts';
import { writeVerdicts } from './verdictFile.ts';

const CONFIG = 'loadline.json';
const FILE = 'probe.verdicts.jsonl';

/** Never throws for what it refuses: the answer says why. */
export async function signProbe(
  params: SignProbeParams,
  place: KeyPlace,
  nonces: Nonces,
): Promise<SignAnswer> {
  try {
    requireInputs(params);
    nonces.take([params.run.nonce]);
    const folder = await realpath(params.folder);
    const subject = { name: CONFIG, sha256: await configDigest(folder, params.inputs.config) };
    const key = await loadKey(place);
    const line = await signedProbe(params, key);
    const target = join(folder, FILE);
    const { verdict, notes } = await writeVerdicts({ target, folder, subject, lines: [line] }, key, place);
    return { signed: true, verdictFile: target, verdict, kid: key.kid, notes };
  } catch (error) {
    if (error instanceof SigningRefused || error instanceof AdapterUnreadable)
      return { signed: false, reason: error.message };
    throw error;
  }
}

function requireInputs({ inputs }: SignProbeParams): void {
  const { document, grant, config, client, guest, prober, helper, rules } = inputs;
  if (rules !== PROBE_VERSION)
    throw new SigningRefused(`The attempts of ${rules} are not those that this version can judge again.`);
  const digests = { document, grant, config, client, guest, prober, ...(helper === null ? {} : { helper }) };
  const missing = Object.entries(digests).find(([, value]) => !isDigest(value));
  if (missing !== undefined) throw new SigningRefused(`The digest of the ${missing[0]} is missing.`);
}

/** loadline.json as it is on disk now has to be the one whose project was probed. */
async function configDigest(folder: string, probed: string): Promise<string> {
  const now = await sha256(Uint8Array.from(await readAdapter(folder, join(folder, CONFIG))));
  if (now !== probed)
    throw new SigningRefused(`${CONFIG} changed since the probe; probe again to sign what it shows.`);
  return now;
}

async function signedProbe(params: SignProbeParams, key: SigningKey): Promise<JudgedLine> {
  const { inputs, environment, evidence, run, outcome } = params;
  const parts = { inputs, environment, evidence, run: { ...run, key: key.publicKey } };
  const statement = await probeStatement(parts).catch((error: unknown) => {
    throw error instanceof Unjudgeable
      ? new SigningRefused(`The probe is not signed: ${error.message}`)
      : error;
  });
  const { verdict, rules } = statement.predicate.outcome;
  if (!sameJson(outcome, { verdict, held: rules.filter(({ held }) => held).map(({ id }) => id) }))
    throw new SigningRefused('The probe is not signed: its outcome does not follow from its attempts.');
  const text = lineText(await signStatement('probe', statement, key));
  if (Buffer.byteLength(text) > LINE_BYTES)
    throw new SigningRefused('The probe is not signed: its evidence is larger than 8 MiB.');
  return { text, statement, kid: key.kid };
}
