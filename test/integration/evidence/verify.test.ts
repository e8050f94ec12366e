/** `loadline verify` on a file made from runs of the real runner: what it prints and how it exits. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CannotDo } from '../../../server/src/cli/exit.ts';
import { type VerifyFlags, verifyCommand } from '../../../server/src/cli/verify.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import type { SigningKey } from '../../../shared/src/evidence/jws.ts';
import type { VerdictStatement } from '../../../shared/src/evidence/statement.ts';
import { exampleFolder } from '../../support/loadline.ts';
import { adapterText, exampleParams, qualifyOnce } from '../../support/runner.ts';
import { fileOf, newKey, sealed, statementOf, verdictLine } from '../../support/verdictFiles.ts';

const ADAPTER = 'adapter-v1.js';
const FILE = 'adapter-v1.verdicts.jsonl';

let key: SigningKey;
let folder: string;
let statements: VerdictStatement[];

beforeAll(async () => {
  key = await newKey();
  folder = mkdtempSync(join(tmpdir(), 'loadline-verify-'));
  cpSync(exampleFolder, folder, { recursive: true });
  const scenarios = ['nominal', 'lost_answer'];
  const { runs } = await qualifyOnce(await exampleParams(ADAPTER, { scenarios }));
  expect(runs.map(({ verdict }) => verdict)).toEqual(['qualified', 'failed']);
  statements = [];
  const digestOf = (name: string) => sha256(readFileSync(join(folder, name)));
  for (const { evidence } of runs) {
    if (evidence === undefined) throw new Error('a run left no evidence');
    const statement = await statementOf(evidence, key, adapterText(ADAPTER));
    statement.subject[0].name = ADAPTER;
    Object.assign(statement.predicate.inputs, {
      document: await digestOf('vendor.openapi.yaml'),
      grant: await digestOf('fleet.grant'),
      config: await digestOf('loadline.json'),
    });
    statements.push(statement);
  }
  await write(statements);
  const trusted = JSON.stringify({ keys: [key.publicKey] });
  writeFileSync(join(folder, 'trusted.json'), trusted);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function write(changed: readonly VerdictStatement[]): Promise<void> {
  const lines = await Promise.all(changed.map((statement) => verdictLine(statement, key)));
  const known = changed.every(({ predicate }) => predicate.inputs.contract === 'fleet/1.0');
  const checkpoint = await sealed(lines, key, known ? {} : { verdict: 'failed' });
  writeFileSync(join(folder, FILE), fileOf([...lines, checkpoint]));
}

async function verify(flags: Partial<VerifyFlags> = {}): Promise<{ code: number; output: string }> {
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const code = await verifyCommand(join(folder, FILE), { partial: false, json: false, ...flags });
    return { code, output: written.join('') };
  } finally {
    spy.mockRestore();
  }
}

const trusted = () => join(folder, 'trusted.json');

test('a file that holds: JSON with the fields that CI reads, and exit 0', async () => {
  const { code, output } = await verify({ json: true, trusted: trusted() });
  expect(code).toBe(0);
  expect(JSON.parse(output)).toMatchObject({
    file: join(folder, FILE),
    verified: true,
    lines: 2,
    keys: [key.kid],
    trusted: true,
    failures: [],
    verdict: 'failed',
    notEstablished: expect.arrayContaining([expect.stringMatching(/^The ledger is/)]),
  });
});

test('text for people', async () => {
  const { output } = await verify();
  const [first, second] = output.split('\n');
  expect(first).toBe(`${FILE}: verified, 2 verdict lines about ${ADAPTER}; it says failed (checkpoint 1)`);
  expect(second).toBe(`  key ${key.kid} (no trusted keys were named)`);
  expect(output).toContain('\n  not established:\n');
});

test('files beside it that changed since are said, line endings apart', async () => {
  const kinds = async () => JSON.parse((await verify({ json: true })).output).failures;
  const change = async (name: string, from: string, to: string, text: string) => {
    const path = join(folder, name);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, before.replaceAll(from, to));
    expect(await kinds()).toEqual([{ line: 1, kind: 'stale', text }]);
    writeFileSync(path, before);
    expect(await kinds()).toEqual([]);
  };
  await change(ADAPTER, '\n', '\r\n', 'The adapter has changed since: only its line endings differ.');
  await change(ADAPTER, ';', ';;', 'The adapter has changed since.');
  await change('fleet.grant', 'GET', 'GET ', 'The grant has changed since.');
  await change('vendor.openapi.yaml', 'robot', 'Robot', 'The vendor document has changed since.');
  await change('loadline.json', '{', '{ ', 'The loadline.json has changed since.');
  expect((await verify({ adapter: join(folder, 'adapter-v2.js') })).code).toBe(1);
});

test("the reader's demands: line, least checkpoint, expected digests, other keys", async () => {
  expect((await verify({ line: 2 })).code).toBe(0);
  expect((await verify({ line: 4 })).code).toBe(1);
  expect((await verify({ atLeast: '1' })).code).toBe(0);
  expect((await verify({ atLeast: '2' })).code).toBe(1);
  const file = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const { grant } = statements[0]?.predicate.inputs ?? {};
  expect((await verify({ expect: file('expect.json', { grant }) })).code).toBe(0);
  expect((await verify({ expect: file('expect.json', { grant: '0'.repeat(64) }) })).code).toBe(1);
  const { publicKey } = await newKey();
  const { code, output } = await verify({ json: true, trusted: file('others.json', { keys: [publicKey] }) });
  expect(code).toBe(1);
  expect(JSON.parse(output).failures.map(({ kind }: { kind: string }) => kind)).toEqual([
    'key',
    'key',
    'key',
  ]);
});

test('what cannot be done is said in a sentence', async () => {
  const refusal = (flags: Partial<VerifyFlags>) => expect(verify(flags)).rejects;
  await refusal({ trusted: join(folder, 'none.json') }).toThrow('none.json does not exist.');
  await refusal({ trusted: join(folder, FILE) }).toThrow('is not JSON.');
  await refusal({ expect: trusted() }).toThrow('The expectation has to name one or more of');
  await refusal({ atLeast: '1.5' }).toThrow('--at-least takes');
  await refusal({ line: 0 }).toThrow('--line takes');
  await refusal({ adapter: join(folder, 'none.js') }).toThrow(CannotDo);
  await expect(verifyCommand(folder, { partial: false, json: true })).rejects.toThrow('is no regular file.');
});

test('rules of a version that is not known: exit 2, and nothing is called forged', async () => {
  const later = structuredClone(statements);
  for (const { predicate } of later) predicate.inputs.contract = 'fleet/1.99';
  await write(later);
  const { code, output } = await verify({ json: true });
  expect(code).toBe(2);
  expect(JSON.parse(output).failures.map(({ kind }: { kind: string }) => kind)).toEqual([
    'version',
    'version',
  ]);
  await write(statements);
});
