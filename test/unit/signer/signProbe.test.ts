/** Probe files as the signer writes them: one line per runtime, and nothing lost that stood there. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { KeyPlace } from '../../../server/src/signer/keyPlace.ts';
import { Nonces } from '../../../server/src/signer/nonces.ts';
import { signProbe } from '../../../server/src/signer/signProbe.ts';
import type { CheckpointPredicate, ProbePredicate } from '../../../shared/src/evidence/statement.ts';
import { verifyBytes } from '../../../shared/src/evidence/verify.ts';
import type { ProbeEvidence } from '../../../shared/src/probe.ts';
import { judgeProbe } from '../../../shared/src/probeRules.ts';
import type { SignProbeParams } from '../../../shared/src/signerProtocol.ts';
import { CONFIG, probeEnvironment, probeEvidence, probeInputs } from '../../support/probeFiles.ts';
import { filesIn, placeIn, temporaryFolder } from './support.ts';

const NAME = 'probe.verdicts.jsonl';

let folder: string;
let place: KeyPlace;
let nonces: Nonces;

beforeEach(() => {
  folder = temporaryFolder();
  place = placeIn();
  nonces = new Nonces();
  writeFileSync(join(folder, 'loadline.json'), CONFIG);
});

const forked: ProbeEvidence = probeEvidence((attempt) =>
  attempt.id === 'clone' ? { ...attempt, outcome: 'survived' } : attempt,
);

async function paramsFor(runtime: string, evidence = probeEvidence()): Promise<SignProbeParams> {
  const [nonce = ''] = nonces.give(1);
  const { verdict, rules } = judgeProbe(evidence);
  return {
    ...{ folder, evidence, inputs: await probeInputs(), environment: probeEnvironment(runtime) },
    run: { nonce, startedAt: '2026-01-05T10:00:00Z', endedAt: '2026-01-05T10:00:20Z' },
    outcome: { verdict, held: rules.filter(({ held }) => held).map(({ id }) => id) },
  };
}

async function refusal(params: SignProbeParams): Promise<string> {
  const answer = await signProbe(params, place, nonces);
  return answer.signed ? 'signed' : answer.reason;
}

interface Content {
  lines: ProbePredicate[];
  checkpoint: CheckpointPredicate;
}

function content(): Content {
  const predicates = readFileSync(join(folder, NAME), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).statement.predicate);
  return { lines: predicates.slice(0, -1), checkpoint: predicates.at(-1) };
}

test('a line per runtime, a newer one in place of the older one', async () => {
  expect(await signProbe(await paramsFor('runsc'), place, nonces)).toMatchObject({
    ...{ signed: true, verdict: 'qualified', verdictFile: join(folder, NAME), notes: [] },
  });
  await signProbe(await paramsFor('runc', forked), place, nonces);
  expect(content().lines.map(({ environment }) => environment.runtime)).toEqual(['runc', 'runsc']);
  expect(content().checkpoint).toMatchObject({
    ...{ verdict: 'failed', sequence: 2, history: { runs: 2, failures: 1 } },
  });
  await signProbe(await paramsFor('runc'), place, nonces);
  expect(content().lines.map(({ outcome }) => outcome.verdict)).toEqual(['qualified', 'qualified']);
  expect(content().checkpoint).toMatchObject({
    ...{ verdict: 'qualified', sequence: 3, history: { runs: 3, failures: 1 } },
  });
  expect(await verifyBytes(readFileSync(join(folder, NAME)))).toMatchObject({ verified: true, lines: 2 });
});

test('two at once lose neither', async () => {
  const both = [await paramsFor('runc'), await paramsFor('runsc')];
  await Promise.all(both.map((params) => signProbe(params, place, nonces)));
  expect(content().lines.map(({ environment }) => environment.runtime)).toEqual(['runc', 'runsc']);
});

test('another engine starts a new file; the old one goes to the history', async () => {
  await signProbe(await paramsFor('runc'), place, nonces);
  const old = readFileSync(join(folder, NAME));
  const params = await paramsFor('runsc');
  params.environment.engine = { name: 'Podman', version: '4.3.1' };
  const answer = await signProbe(params, place, nonces);
  const history = join(folder, '.loadline/history');
  const [kept = ''] = readdirSync(history);
  expect(kept).toMatch(/^probe\.[0-9a-f]{12}\.verdicts\.jsonl$/);
  expect(readFileSync(join(history, kept))).toEqual(old);
  expect(answer).toMatchObject({
    notes: [
      `${NAME} starts anew, since adapter, inputs or environment changed; the old one is ${join(history, kept)}.`,
    ],
  });
  expect(content().lines).toHaveLength(1);
});

test('a conflicted file is set aside', async () => {
  writeFileSync(join(folder, NAME), '<<<<<<< ours\n');
  await signProbe(await paramsFor('runc'), place, nonces);
  expect(filesIn(folder)).toEqual(['loadline.json', NAME, `${NAME}.set-aside-1`]);
});

test('what does not fit is refused with its reason, and nothing is written', async () => {
  const wrong = await paramsFor('runc', forked);
  wrong.outcome.verdict = 'qualified';
  expect(await refusal(wrong)).toBe(
    'The probe is not signed: its outcome does not follow from its attempts.',
  );
  const used = await paramsFor('runc');
  used.run.nonce = wrong.run.nonce;
  expect(await refusal(used)).toBe(
    'A run names a nonce that was not given for it or is used up; run it again.',
  );
  const later = await paramsFor('runc');
  later.inputs.rules = 'probe/2.0';
  expect(await refusal(later)).toBe(
    'The attempts of probe/2.0 are not those that this version can judge again.',
  );
  const without = await paramsFor('runc');
  without.inputs.prober = '';
  expect(await refusal(without)).toBe('The digest of the prober is missing.');
  const inside = probeEvidence((attempt) => ({ ...attempt, outcome: 'inside' }));
  const impossible = { ...(await paramsFor('runc')), evidence: inside };
  expect(await refusal(impossible)).toBe(
    'The probe is not signed: The attempt unknown-method may not succeed, not even inside of a container.',
  );
  const params = await paramsFor('runc');
  writeFileSync(join(folder, 'loadline.json'), '{}');
  expect(await refusal(params)).toBe(
    'loadline.json changed since the probe; probe again to sign what it shows.',
  );
  expect(filesIn(folder)).toEqual(['loadline.json']);
});
