/** Bad input on the command line: one clear sentence, the right exit code, nothing run. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  containersLeft,
  exampleFolder,
  loadline,
  projectFolder,
  qualifyJson,
  root,
} from '../../support/loadline.ts';

const opened: { remove(): void }[] = [];
afterEach(async () => {
  for (const project of opened.splice(0)) project.remove();
  expect(await containersLeft()).toEqual([]);
});

const adapter = readFileSync(join(exampleFolder, 'adapter-v3.js'), 'utf8');

function project(files: Record<string, string>): string {
  const made = projectFolder({ 'adapter-v3.js': adapter, ...files });
  opened.push(made);
  return made.folder;
}

const example = (name: string) => readFileSync(join(exampleFolder, name), 'utf8');
const document = (schema: string) =>
  `openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /robots:\n    get:\n      operationId: listRobots\n      responses:\n        '200':\n          description: ok\n          content: {application/json: {schema: ${schema}}}\n`;

describe('qualify refuses, with the place', () => {
  const grantLine =
    example('fleet.grant')
      .split('\n')
      .findIndex((line) => line.startsWith('GET')) + 1;

  test.each<[string, Record<string, string>, string]>([
    [
      'a grant with a typo',
      { 'fleet.grant': example('fleet.grant').replace(/^GET/m, 'GTE') },
      `fleet.grant:${grantLine}:1: error: A route starts with a method in capitals, and "GTE" is none. Did you mean "GET"? (grant-syntax)`,
    ],
    [
      'a document that is no OpenAPI',
      { 'vendor.openapi.yaml': 'name: something else\n' },
      'vendor.openapi.yaml:1:1: error: ',
    ],
    [
      'a document that is no YAML',
      { 'vendor.openapi.yaml': 'openapi: 3.1.0\n\tinfo: {' },
      'vendor.openapi.yaml:2:1: error: ',
    ],
    [
      'a loadline.json with an unknown key',
      { 'loadline.json': example('loadline.json').replace('"grant"', '"grants"') },
      'Did you mean "grant"?',
    ],
    ['a loadline.json that is no JSON', { 'loadline.json': '{"contract": ' }, 'loadline.json:1:'],
    [
      'a missing document',
      { 'loadline.json': example('loadline.json').replace('vendor.openapi', 'other') },
      'other.yaml',
    ],
    [
      'a document outside the folder',
      { 'loadline.json': example('loadline.json').replace('vendor.openapi.yaml', '../other.yaml') },
      'loadline.json:',
    ],
  ])('%s', async (_name, files, text) => {
    const { code, stdout, stderr } = await loadline(['qualify', '--no-sign', 'adapter-v3.js'], {
      cwd: project(files),
    });
    expect(stderr).toContain(text);
    expect(stderr).toContain('nothing was run');
    expect([code, stdout]).toEqual([2, '']);
  });

  test('an adapter that no loadline.json governs, and one that is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loadline-none-'));
    opened.push({ remove: () => rmSync(folder, { recursive: true }) });
    const alone = await loadline(['qualify', join(folder, 'adapter.js')]);
    expect([alone.code, alone.stderr]).toEqual([
      2,
      `loadline: No loadline.json governs "${folder}/adapter.js"; put one beside the adapter (examples/fleet has one to start from).\n`,
    ]);
    const missing = await qualifyJson(['none.js', '--scenario', 'nominal'], { cwd: project({}) });
    expect([missing.code, missing.result.adapters[0]?.runs[0]]).toMatchObject([
      2,
      {
        verdict: 'not_run',
        reason: 'adapter',
        mayHaveRun: false,
        message: expect.stringContaining('none.js does not exist'),
      },
    ]);
  });

  test('a scenario, an option or a command that does not exist', async () => {
    const folder = project({});
    const scenario = await loadline(['qualify', 'adapter-v3.js', '--scenario', 'nomnial'], { cwd: folder });
    expect([scenario.code, scenario.stderr]).toEqual([
      2,
      expect.stringContaining('fleet/1 has no scenario nomnial'),
    ]);
    expect((await loadline(['qualify', 'adapter-v3.js', '--sed', '7'], { cwd: folder })).code).toBe(2);
    expect((await loadline(['qualfy'], { cwd: folder })).code).toBe(2);
    expect((await loadline(['qualify', 'adapter-v3.js', '--seed', '-1'], { cwd: folder })).code).toBe(2);
  });
});

describe('an engine that cannot be used', () => {
  test.each<[string, string[], NodeJS.ProcessEnv, string, string]>([
    [
      'is not there',
      ['--host', 'unix:///nowhere/docker.sock'],
      {},
      'engine',
      'there is no socket at unix:///nowhere/docker.sock',
    ],
    [
      'is not there (DOCKER_HOST)',
      [],
      { DOCKER_HOST: 'unix:///nowhere/docker.sock' },
      'engine',
      'from DOCKER_HOST',
    ],
    ['lacks the runtime', ['--runtime', 'kata'], {}, 'tier', 'kata'],
    ['is too weak', ['--minimum-tier', 'kernel', '--runtime', 'runc'], {}, 'tier', 'kernel'],
  ])('%s', async (_name, args, env, reason, text) => {
    const { code, result } = await qualifyJson(['adapter-v3.js', '--scenario', 'nominal', ...args], {
      cwd: project({}),
      env,
    });
    const run = result.adapters[0]?.runs[0];
    expect([code, run?.verdict, run?.reason, run?.mayHaveRun]).toEqual([2, 'not_run', reason, false]);
    expect(run?.message).toContain(text);
  });
});

describe('specgen', () => {
  const out = () => {
    const folder = mkdtempSync(join(tmpdir(), 'loadline-out-'));
    opened.push({ remove: () => rmSync(folder, { recursive: true }) });
    return folder;
  };

  test('writes typings, client and description of the granted operations', async () => {
    const folder = out();
    const args = [
      'specgen',
      'examples/fleet/vendor.openapi.yaml',
      '--grant',
      'examples/fleet/fleet.grant',
      '--client',
      'fleet',
      '--out',
      folder,
    ];
    const { code, stdout, stderr } = await loadline(args, { cwd: root });
    expect([code, stderr, stdout.trim().split('\n').length]).toEqual([
      0,
      '6 of 8 operations are granted.\n',
      3,
    ]);
    expect(readFileSync(join(folder, 'fleet.d.ts'), 'utf8')).toContain(
      'declare const fleet: FleetApi.Client;',
    );
    expect(readFileSync(join(folder, 'fleet.description.txt'), 'utf8')).toContain('NOT GRANTED');
    expect(readFileSync(join(folder, 'fleet.client.js'), 'utf8')).toContain('createMission');
  });

  test.each([
    ['a reference to an address', '{$ref: "http://example.com/x.json"}', 'document-url-ref'],
    ['a reference out of the folder', '{$ref: "../../etc/passwd"}', 'document-outside-ref'],
  ])('%s is named at its line and not followed', async (_name, schema, code) => {
    const folder = project({ 'doc.yaml': document(schema) });
    const finished = await loadline(['specgen', 'doc.yaml', '--out', 'out'], { cwd: folder });
    expect([finished.code, finished.stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`doc.yaml:10:\\d+: error: .*\\(${code}\\)`)),
    ]);
  });

  test('a cycle of schemas is no fault', async () => {
    const cycle = `${document('{$ref: "#/components/schemas/A"}')}components:\n  schemas:\n    A: {type: object, properties: {next: {$ref: "#/components/schemas/A"}}}\n`;
    const folder = project({ 'doc.yaml': cycle });
    expect((await loadline(['specgen', 'doc.yaml', '--out', 'out'], { cwd: folder })).code).toBe(0);
    expect(readFileSync(join(folder, 'out/vendor.d.ts'), 'utf8')).toMatch(/interface A \{\s+next\?: A;/);
  });
});
