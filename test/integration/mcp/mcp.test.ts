/** `loadline mcp` as an agent's own client uses it, over stdio. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { containersLeft, loadline, projectFolder, root } from '../../support/loadline.ts';
import { adapterText } from '../../support/runner.ts';

let project: ReturnType<typeof projectFolder>;
let client: Client;

beforeEach(async () => {
  project = projectFolder({ 'adapter.js': adapterText('adapter-v1.js') });
  client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, 'dist/cli.js'), 'mcp', project.folder],
      env: { ...process.env, LOADLINE_SIGNING_KEY: '' } as Record<string, string>,
    }),
  );
});

afterEach(async () => {
  await client.close();
  project.remove();
});

async function call(name: string, args: object): Promise<[text: string, isError: boolean]> {
  const answer = await client.callTool({ name, arguments: { ...args } });
  const [part] = answer.content as { text: string }[];
  return [part?.text ?? '', answer.isError === true];
}

test('the three tools of the editor are there, and name no grant, vendor, engine or tier', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})])).toEqual([
    ['loadline_describe', ['adapter']],
    ['loadline_practice', ['adapter', 'scenario']],
    ['loadline_explain', ['adapter', 'scenario']],
  ]);
  const [text, isError] = await call('loadline_describe', {});
  expect([text.includes('createMission'), text.includes('not granted'), isError]).toEqual([
    true,
    true,
    false,
  ]);
});

test('practice tells what broke at which line, explain tells it again, and a changed text has not run', async () => {
  const asked = { adapter: 'adapter.js', scenario: 'lost_answer' };
  expect((await call('loadline_explain', asked))[0]).toBe(
    'Nothing of it has run under its present text; practise a scenario first.',
  );
  const [text, isError] = await call('loadline_practice', asked);
  expect(text).toMatch(
    /^lost_answer: 1 of 8 rules broken\.\n- one_order_per_command \(line 34\): 2 orders for command /,
  );
  expect([isError, text.match(/ledger row/g)?.length]).toEqual([false, 2]);
  expect(await call('loadline_explain', { adapter: 'adapter.js' })).toEqual([text, false]);
  writeFileSync(join(project.folder, 'adapter.js'), adapterText('adapter-v3.js'));
  expect((await call('loadline_explain', asked))[0]).toContain('Nothing of it has run');
  expect((await call('loadline_practice', asked))[0]).toBe('lost_answer: every rule held.');
  expect(await containersLeft()).toEqual([]);
});

test('what leads out of the folder, is not there or is no argument is refused in a sentence', async () => {
  writeFileSync(join(tmpdir(), `loadline-outside-${process.pid}.js`), 'module.exports = {};');
  symlinkSync(join(tmpdir(), `loadline-outside-${process.pid}.js`), join(project.folder, 'link.js'));
  const outside = 'is outside of the folder that these tools may read.';
  expect(await call('loadline_practice', { adapter: 'link.js' })).toEqual([`link.js ${outside}`, true]);
  const [escaped, isError] = await call('loadline_practice', { adapter: `../../${root}/package.json` });
  expect([escaped.includes('outside of the folder') || escaped.startsWith('There is no '), isError]).toEqual([
    true,
    true,
  ]);
  expect(await call('loadline_practice', { adapter: 'gone.js' })).toEqual([
    'There is no gone.js in this folder.',
    true,
  ]);
  expect(await call('loadline_practice', {})).toEqual(['Give "adapter" as a text.', true]);
  const [named] = await call('loadline_practice', { adapter: 'adapter.js', scenario: 'worst' });
  expect(named).toMatch(/^Name a scenario, one of: nominal, /);
  expect(await call('loadline_sign', {})).toEqual(['There is no tool loadline_sign.', true]);
});

test('a folder that is not there is said; when stdin ends, so does the process', async () => {
  const missing = await loadline(['mcp', join(project.folder, 'nowhere')], { cwd: project.folder });
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining('does not exist; name the folder with loadline.json.'),
  ]);
  expect(await loadline(['mcp', '.'], { cwd: project.folder })).toEqual({ code: 0, stdout: '', stderr: '' });
});
