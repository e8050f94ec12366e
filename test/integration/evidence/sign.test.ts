/** Real runs, signed: what is written beside the adapter, and that it verifies with nothing but itself and a key. */
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seedOf } from '../../../shared/src/evidence/seed.ts';
import { trustedKeyIds } from '../../../shared/src/evidence/trust.ts';
import { verifyBytes } from '../../../shared/src/evidence/verify.ts';
import { adapterText } from '../../support/runner.ts';
import { person, statementsOf } from './support.ts';

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

test('one scenario, then the others: partial, then qualified, and the file says what it ran in', async () => {
  const one = person();
  const first = await one.qualify('--scenario', 'lost_answer');
  expect([first.code, first.result.adapters[0]?.verdictFile]).toEqual([0, 'adapter.verdicts.jsonl']);
  expect(statementsOf(one.verdicts).at(-1).predicate).toMatchObject({
    count: 1,
    verdict: 'partial',
    sequence: 1,
  });
  const all = await one.qualify();
  expect([all.code, all.result.adapters[0]?.verdict]).toEqual([0, 'qualified']);
  const statements = statementsOf(one.verdicts);
  expect(statements.at(-1).predicate).toMatchObject({
    ...{ count: 16, verdict: 'qualified', sequence: 2, history: { runs: 17, failures: 0 } },
  });
  const engine = all.result.engine;
  const sha256 = digestOf(join(one.folder, 'adapter.js'));
  expect(statements[0]).toMatchObject({
    subject: [{ name: 'adapter.js', digest: { sha256 } }],
    predicate: {
      inputs: {
        document: digestOf(join(one.folder, 'vendor.openapi.yaml')),
        grant: digestOf(join(one.folder, 'fleet.grant')),
        config: digestOf(join(one.folder, 'loadline.json')),
        ...{ contract: 'fleet/1.0', scenario: 'nominal', seed: await seedOf(sha256, 'fleet/1.0') },
        ...{ guest: engine?.guestDigest, base: engine?.baseId },
      },
      environment: {
        engine: { name: engine?.name, version: engine?.version },
        ...{ runtime: engine?.runtime, tier: engine?.tier, clock: 'virtual' },
        limits: {
          memoryBytes: 268_435_456,
          pids: 64,
          cpus: 1,
          tmpBytes: 16_777_216,
          openFiles: 1024,
          cpuSeconds: 600,
        },
        cannot: engine?.cannot,
        loadline: all.result.loadline,
      },
    },
  });
  const runs = statements.slice(0, -1).map(({ predicate }) => predicate.run);
  expect(new Set(runs.map(({ nonce }) => nonce))).toHaveLength(16);
  expect(new Set(runs.map(({ jti }) => jti))).toHaveLength(16);
  for (const { startedAt, endedAt } of runs)
    expect(Date.parse(endedAt)).toBeGreaterThan(Date.parse(startedAt));
});

test('a copied file verifies with the exported public key alone', async () => {
  const one = person();
  await one.qualify('--scenario', 'nominal');
  const { stdout, code } = await one.loadline('keys', 'export');
  expect(code).toBe(0);
  expect(stdout).not.toContain(JSON.parse(readFileSync(one.keyFile, 'utf8')).d);
  const trusted = await trustedKeyIds(JSON.parse(stdout));
  const bytes = readFileSync(one.verdicts);
  expect(await verifyBytes(bytes, { trusted, partial: true })).toMatchObject({
    verified: true,
    trusted: true,
  });
  const elsewhere = person();
  copyFileSync(one.verdicts, join(elsewhere.folder, 'copied.jsonl'));
  writeFileSync(join(elsewhere.folder, 'keys.json'), stdout);
  const flags = ['copied.jsonl', '--trusted', 'keys.json', '--partial', '--json'];
  const verified = await elsewhere.loadline('verify', ...flags);
  expect(JSON.parse(verified.stdout)).toMatchObject({
    verified: true,
    trusted: true,
    lines: 1,
    failures: [],
  });
  expect(verified.code).toBe(0);
  const other = await trustedKeyIds(JSON.parse((await person().loadline('keys', 'export')).stdout));
  expect((await verifyBytes(bytes, { trusted: other, partial: true })).failures[0]?.kind).toBe('key');
});

test('two qualifications at once lose neither', async () => {
  const one = person();
  const runs = await Promise.all(
    [['nominal'], ['overload', 'throttled']].map((ids) =>
      one.qualify(...ids.flatMap((id) => ['--scenario', id])),
    ),
  );
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  const statements = statementsOf(one.verdicts);
  expect(statements.slice(0, -1).map(({ predicate }) => predicate.inputs.scenario)).toEqual([
    ...['nominal', 'overload', 'throttled'],
  ]);
  expect(statements.at(-1).predicate).toMatchObject({ sequence: 2, history: { runs: 3, failures: 0 } });
});

test('a failed scenario is signed as failed, and a changed adapter starts anew', async () => {
  const one = person(adapterText('adapter-v1.js'));
  const { code, result } = await one.qualify('--scenario', 'lost_answer');
  expect([code, result.adapters[0]?.verdict]).toEqual([1, 'failed']);
  const [line, checkpoint] = statementsOf(one.verdicts);
  expect(line.predicate.outcome.verdict).toBe('failed');
  expect(checkpoint.predicate).toMatchObject({ verdict: 'failed', history: { runs: 1, failures: 1 } });
  appendFileSync(join(one.folder, 'adapter.js'), '\n');
  const again = await one.qualify('--scenario', 'nominal');
  expect(again.stderr).toContain(
    'adapter.verdicts.jsonl starts anew, since adapter, inputs or environment changed',
  );
  expect(statementsOf(one.verdicts).at(-1).predicate).toMatchObject({ sequence: 2, history: { runs: 1 } });
});

test("with --no-sign or a seed of one's own nothing is written, and no key is made", async () => {
  const one = person();
  for (const flags of [['--no-sign'], ['--seed', '7']]) {
    const { code, result } = await one.qualify('--scenario', 'nominal', ...flags);
    expect([code, result.adapters[0]?.verdictFile]).toEqual([0, null]);
  }
  expect([existsSync(one.verdicts), existsSync(one.keyFile)]).toEqual([false, false]);
});

test('where the key cannot sign the runs are judged, nothing is written, and it is said once', async () => {
  const one = person();
  copyFileSync(join(one.folder, 'adapter.js'), join(one.folder, 'adapter-2.js'));
  await one.loadline('keys', 'export');
  chmodSync(one.keyFile, 0o644);
  const { code, stderr, result } = await one.qualify('adapter-2.js', '--scenario', 'nominal');
  expect(code).toBe(2);
  expect(result.adapters.map(({ verdict, verdictFile }) => [verdict, verdictFile])).toEqual([
    ...[
      ['partial', null],
      ['partial', null],
    ],
  ]);
  const said = `loadline: no verdict file is written: Others may read the signing key; run: chmod 600 ${one.keyFile}`;
  expect(stderr.split('\n').filter((line) => line.startsWith('loadline:'))).toEqual([said]);
  expect(existsSync(one.verdicts)).toBe(false);
});

test('text output names the file that was signed', async () => {
  const one = person();
  writeFileSync(one.verdicts, 'notes\n');
  const { code, stdout, stderr } = await one.loadline('qualify', 'adapter.js', '--scenario', 'nominal');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('signed: adapter.verdicts.jsonl');
  expect(stderr).toContain('adapter.verdicts.jsonl was set aside as adapter.verdicts.jsonl.set-aside-1');
});
