/** A session in an editor that is not ours, with its own LSP client: what a person there sees. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { containersLeft, projectFolder, root } from '../../support/loadline.ts';
import { adapterText } from '../../support/runner.ts';

/** What session.lua writes. Diagnostics are `line code`, 1-based. */
interface Seen {
  problem?: string;
  right: string[];
  wrong: string[];
  edited: string[];
  completions: string[];
  hover: string[];
  lenses: { head: string[]; dispatch: string[] };
  lensesAfter: { head: string[]; dispatch: string[] };
  judged: string[];
  choices: string[];
  notes: string[];
}

const ADAPTER = adapterText('adapter-v1.js');

let home: string;
let project: ReturnType<typeof projectFolder>;
let seen: Seen;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'loadline-neovim-'));
  project = projectFolder({ 'adapter-v1.js': ADAPTER, 'adapter-v3.js': adapterText('adapter-v3.js') });
  mkdirSync(join(home, 'bin'));
  symlinkSync(join(root, 'dist/cli.js'), join(home, 'bin/loadline'));
  mkdirSync(join(home, 'config/nvim'), { recursive: true });
  writeFileSync(join(home, 'config/nvim/init.lua'), configurationOfThePage());
  seen = await session();
});

afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  project.remove();
});

/** The page's one block of Lua, as a reader would copy it. */
function configurationOfThePage(): string {
  const page = readFileSync(join(root, 'docs/tasks/another-editor.md'), 'utf8');
  const [found, ...others] = page.matchAll(/^```lua\n([\s\S]*?)^```$/gm);
  if (found?.[1] === undefined || others.length > 0) throw new Error('The page has one block of Lua.');
  return found[1];
}

async function session(): Promise<Seen> {
  const result = join(home, 'seen.json');
  const script = join(import.meta.dirname, 'session.lua');
  const child = spawn('nvim', ['--headless', '-c', `luafile ${script}`], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: [join(home, 'bin'), process.env.PATH].join(delimiter),
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CACHE_HOME: join(home, 'cache'),
      LOADLINE_SIGNING_KEY: '',
      SEEN: result,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, said]).toEqual([0, '']);
  const found: Seen = JSON.parse(readFileSync(result, 'utf8'));
  expect(found.problem).toBe(undefined);
  return found;
}

function lineOf(search: string): number {
  return ADAPTER.slice(0, ADAPTER.indexOf(search)).split('\n').length;
}

const ORDER = lineOf('fleet.createMission');
const FOUND = [
  `${ORDER} retry-without-identity`,
  `${lineOf("throw Object.assign(refusal, { code: 'refused' })")} refusal-from-doubt`,
];

test('diagnostics are pushed for the text as it is: two faults of the first try, none of the right adapter', () => {
  expect(seen.right).toEqual([]);
  expect(seen.wrong).toEqual(FOUND);
});

test('a key typed in Neovim is taken over, and so is its undoing', () => {
  expect(seen.edited).toEqual([`${lineOf('fleet.listRobots')} unknown-operation`, ...FOUND]);
  expect(seen.completions).toEqual([
    'health',
    'listRobots',
    'getRobot',
    'createMission',
    'getMission',
    'cancelMission',
    'decommissionRobot',
    'updateFirmware',
  ]);
});

test('a hover is text without marks', () => {
  expect(seen.hover.filter((line) => line !== '' && !line.startsWith('The mission starts'))).toEqual([
    'createMission(id: string, body: MissionOrder): Promise<MissionReceipt>',
    'POST /robots/{id}/missions',
    'Granted by POST /robots/*/missions',
    'Order a robot to a target.',
    'The body field /command_id names the order: a repeat with the same value is the same order.',
    'Answers: 200, 201, 401, 404, 409, 422, 429, 500, 503',
  ]);
});

test('a lens runs its scenario, and the broken rule stands at the call that broke it', () => {
  expect(seen.lenses).toEqual({
    head: ['Qualify adapter', 'Scenarios…'],
    dispatch: [
      '▶ overload',
      '▶ lost_answer',
      '▶ dropped_connection',
      '▶ server_error_after_accept',
      '▶ refused_order',
      '▶ silent',
      '+6…',
    ],
  });
  expect(seen.judged).toEqual([
    `${lineOf('fleet.getRobot')} advice/fan-out`,
    `${ORDER} rule/one_order_per_command`,
    ...FOUND,
  ]);
  expect(seen.lensesAfter).toEqual({
    head: ['Qualify adapter · 0/16 held', '▶ failed (1)', 'Scenarios…'],
    dispatch: [
      '✗ failed lost_answer',
      '▶ overload',
      '▶ dropped_connection',
      '▶ server_error_after_accept',
      '▶ refused_order',
      '▶ silent',
      '+6…',
    ],
  });
});

test('the list of scenarios runs the chosen one; both runs are signed, and no container is left', async () => {
  expect(seen.choices.length).toBe(16);
  expect(seen.choices[0]).toBe('nominal (none)');
  expect(seen.choices.filter((choice) => !choice.endsWith(' (none)'))).toEqual(['lost_answer (failed)']);
  expect(seen.notes).toEqual(['Loadline: adapter-v1.js failed', 'Loadline: adapter-v1.js partial']);
  // Two verdicts and the checkpoint that seals them.
  const verdicts = readFileSync(join(project.folder, 'adapter-v1.verdicts.jsonl'), 'utf8');
  expect(verdicts.trimEnd().split('\n').length).toBe(3);
  expect(await containersLeft()).toEqual([]);
});
