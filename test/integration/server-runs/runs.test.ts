/** Runs of the language server on a real engine: told in order, placed at the line, always ended, never left behind. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sha256 } from '../../../server/src/workspace/files.ts';
import {
  COMMANDS,
  type EvidenceAnswer,
  MESSAGES,
  type RunStarted,
  type StatusParams,
} from '../../../shared/src/protocol.ts';
import { containersLeft } from '../../support/loadline.ts';
import { diagnosticText, type Editor, uriOf } from '../../support/lspClient.ts';
import { childrenOf, type Desk, ended, left, openDesk, outline, qualify, told } from './support.ts';

let desk: Desk;
beforeEach(() => {
  desk = openDesk();
});
afterEach(() => desk.close());

const LOST = { scenarios: ['lost_answer'] };

async function rules(editor: Editor, uri: string): Promise<string[]> {
  return diagnosticText((await editor.pull(uri)).filter(({ code }) => String(code).startsWith('rule/')));
}

/** `state signed stale` of a scenario. */
async function known(editor: Editor, scenario: string, path = desk.path): Promise<string> {
  const { adapters } = await editor.connection.sendRequest<{
    adapters: { uri: string; scenarios: { id: string; state: string; signed: boolean; stale: boolean }[] }[];
  }>(MESSAGES.adapters, {});
  const found = adapters.find(({ uri }) => uri === uriOf(path))?.scenarios.find(({ id }) => id === scenario);
  return [found?.state, ...(found?.signed ? ['signed'] : []), ...(found?.stale ? ['stale'] : [])].join(' ');
}

function lineOf(text: string, search: string): number {
  return text.slice(0, text.indexOf(search)).split('\n').length;
}

test('a signed run is told in order, and its broken rule stands at the call, after a restart too', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  const run = await qualify(editor, uri, LOST);
  await ended(editor, run);
  expect(outline(told(editor, run))).toEqual([
    'queued',
    'running',
    'scenario lost_answer',
    'scenario lost_answer failed',
    'signing',
    'ended failed',
  ]);
  expect(
    new Set(
      told(editor, run).map(({ kind, adapter, draft, scenarios }) =>
        JSON.stringify([kind, adapter, draft, scenarios]),
      ),
    ),
  ).toEqual(new Set([JSON.stringify(['qualify', uri, false, ['lost_answer']])]));
  const line = lineOf(desk.text, 'fleet.createMission');
  const found = (await editor.pull(uri)).filter(({ code }) => code === 'rule/one_order_per_command');
  expect(found.map(({ range, severity }) => [range.start.line + 1, severity])).toEqual([[line, 1]]);
  expect(found[0]?.message).toMatch(/^2 orders for command .* \(lost_answer\)$/);
  expect(await known(editor, 'lost_answer')).toBe('failed signed');
  const [row] = found[0]?.relatedInformation?.filter(({ location }) => location.uri !== uri) ?? [];
  expect(row?.location.uri).toMatch(
    /^loadline-ledger:.*\/adapter\.verdicts\.jsonl\?line=1&run=[0-9a-f-]{36}$/,
  );
  const before = await rules(editor, uri);
  expect(await left(editor)).toEqual([]);
  await editor.stop();

  const again = await desk.start();
  await again.open(desk.path, desk.text);
  await again.until(() => again.statuses().find(({ verdict }) => verdict === 'failed'));
  expect(await rules(again, uri)).toEqual(before);
  // As an editor writes the address that it was given.
  const address = row?.location.uri.replace(/\?(.*)$/, (_, query) => `?${encodeURIComponent(query)}`);
  const { text } = await again.connection.sendRequest<{ text: string }>('workspace/textDocumentContent', {
    uri: address,
  });
  expect(text.split('\n')[0]).toMatch(
    /^Ledger of lost_answer: the vendor's own account, \d+ rows\. Verdict: failed\.$/,
  );
  expect(text.split('\n')[row?.location.range.start.line ?? 0]).toMatch(/The adapter places order/);
});

test('cancel in the middle ends the run as not run, and leaves no container and no verdict', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  const run = await qualify(editor, uri);
  while ((await left(editor)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await editor.connection.sendRequest(MESSAGES.cancelRun, { run });
  const end = await ended(editor, run);
  expect([end.verdict, end.problem?.text]).toEqual(['not_run', 'The run was cancelled.']);
  expect(await left(editor)).toEqual([]);
  expect(existsSync(desk.verdicts)).toBe(false);
});

test('cancel before anything ran, of the one that runs and of the one that waits', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  const [first, second] = await Promise.all([qualify(editor, uri), qualify(editor, uri, LOST)]);
  await Promise.all([second, first].map((run) => editor.connection.sendRequest(MESSAGES.cancelRun, { run })));
  const ends = await Promise.all([ended(editor, first), ended(editor, second)]);
  expect(ends.map(({ verdict, problem }) => [verdict, problem?.text])).toEqual([
    ['not_run', 'The run was cancelled.'],
    ['not_run', 'The run was cancelled.'],
  ]);
  expect(outline(told(editor, second))).toEqual(['queued', 'ended not_run']);
  expect(told(editor, first).filter(({ state }) => state === 'ended').length).toBe(1);
  expect(await left(editor)).toEqual([]);
});

test('runs wait for one another', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  const first = await qualify(editor, uri, { ...LOST, draft: true });
  const second = await qualify(editor, uri, { scenarios: ['nominal'], draft: true });
  await ended(editor, second);
  const order = editor
    .notifications<{ run: string; state: string; text?: string }>(MESSAGES.run)
    .filter(({ state, text }) => text === undefined && (state === 'running' || state === 'ended'))
    .map(({ run, state }) => `${run === first ? 'first' : 'second'} ${state}`);
  expect(order).toEqual(['first running', 'first ended', 'second running', 'second ended']);
});

test('a draft runs the text of the buffer and writes nothing', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, `// not saved\n${desk.text}`);
  const run = await qualify(editor, uri, { ...LOST, draft: true });
  expect((await ended(editor, run)).verdict).toBe('failed');
  const line = lineOf(desk.text, 'fleet.createMission') + 1;
  expect((await rules(editor, uri))[0]).toMatch(
    new RegExp(`^${line}:\\d+ error rule/one_order_per_command: `),
  );
  expect(existsSync(desk.verdicts)).toBe(false);
  const evidence = await editor.connection.sendRequest<EvidenceAnswer>(MESSAGES.evidence, {
    uri,
    scenario: 'lost_answer',
  });
  expect([evidence.sha256, evidence.signed, evidence.stale]).toEqual([
    sha256(`// not saved\n${desk.text}`),
    false,
    false,
  ]);
  expect(evidence.result?.evidence?.ledger.length).toBeGreaterThan(0);
});

test('a signed run of what is not saved asks to save first, the grant too', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  const grant = await editor.open(
    join(desk.folder, 'fleet.grant'),
    readFileSync(join(desk.folder, 'fleet.grant'), 'utf8'),
  );
  await editor.edit(grant, 'GET', '# GET');
  const first = await ended(editor, await qualify(editor, uri, LOST));
  await editor.close(grant);
  await editor.edit(uri, 'module.exports', '// more\nmodule.exports');
  const second = await ended(editor, await qualify(editor, uri, LOST));
  expect([first, second].map(({ verdict, problem }) => [verdict, problem?.help, problem?.text])).toEqual(
    ['fleet.grant', 'adapter.js'].map((name) => [
      'not_run',
      'save',
      `Nothing was run: ${name} has unsaved changes, and a signed run reads what is on disk. Save it, or run a draft.`,
    ]),
  );
  expect(childrenOf(editor.child.pid, 'runner.js')).toEqual([]);
});

test('an edit while it runs makes the result stale at once, and undo makes it current', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  const run = await qualify(editor, uri, LOST);
  await editor.until(() => told(editor, run).find(({ state }) => state === 'running'));
  await editor.edit(uri, 'module.exports', '// later\nmodule.exports');
  await editor.until(() => told(editor, run).find(({ result }) => result !== undefined));
  expect(await known(editor, 'lost_answer')).toMatch(/^failed (signed )?stale$/);
  expect((await ended(editor, run)).verdict).toBe('failed');
  expect(await known(editor, 'lost_answer')).toBe('failed signed stale');
  const line = lineOf(desk.text, 'fleet.createMission') + 1;
  const stale = await rules(editor, uri);
  expect(stale[0]).toMatch(
    new RegExp(`^${line}:\\d+ information rule/one_order_per_command: .*judged before the last change\\)$`),
  );
  expect((await editor.pull(uri)).map(({ code }) => code)).toContain('stale-verdict');
  await editor.edit(uri, '// later\nmodule.exports', 'module.exports');
  expect(await known(editor, 'lost_answer')).toBe('failed signed');
  expect((await rules(editor, uri))[0]).toMatch(new RegExp(`^${line - 1}:\\d+ error `));
});

test('between runs one unused container waits, the next run takes it, and none is left at the end', async () => {
  const editor = await desk.start({ settings: () => ({}) });
  const uri = await editor.open(desk.path, desk.text);
  const waiting: string[] = [];
  for (let run = 0; run < 2; run += 1) {
    expect((await ended(editor, await qualify(editor, uri, LOST))).verdict).toBe('failed');
    const found = await left(editor);
    expect(found).toHaveLength(1);
    waiting.push(...found);
  }
  expect(waiting[1]).not.toBe(waiting[0]);
  const engine = new Docker();
  expect(
    await engine
      .getContainer(waiting[0] ?? '')
      .inspect()
      .catch(({ statusCode }) => statusCode),
  ).toBe(404);
  const runner = childrenOf(editor.child.pid, 'runner.js')[0] ?? null;
  await editor.stop();
  expect(await containersLeft(engine, runner)).toEqual([]);
});

test('a runner that is killed ends the run as not run; the next run has a new one', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  const run = await qualify(editor, uri);
  await editor.until(() =>
    told(editor, run).find(({ state, result }) => state === 'scenario' && result === undefined),
  );
  const [runner] = childrenOf(editor.child.pid, 'runner.js');
  if (runner === undefined) throw new Error('There is no runner.');
  process.kill(runner, 'SIGKILL');
  const end = await ended(editor, run);
  expect([end.verdict, end.problem?.text]).toEqual(['not_run', 'The runner ended (SIGKILL).']);
  expect(existsSync(desk.verdicts)).toBe(false);
  expect((await ended(editor, await qualify(editor, uri, LOST))).verdict).toBe('failed');
  expect(childrenOf(editor.child.pid, 'runner.js').includes(runner)).toBe(false);
  // What the killed one left, the new one has swept.
  expect(await left(editor)).toEqual([]);
});

test('without an engine the end says so, with the word for the button', async () => {
  const settings = () => ({ docker: { hosts: ['unix:///nowhere/docker.sock'] } });
  const editor = await desk.start({ settings });
  const uri = await editor.open(desk.path, desk.text);
  const end = await ended(editor, await qualify(editor, uri, LOST));
  expect([end.verdict, end.problem?.help]).toEqual(['not_run', 'engine']);
  expect(end.problem?.text).toContain('/nowhere/docker.sock');
  expect(await known(editor, 'lost_answer')).toBe('not_run');
  const status = await editor.until(() => editor.statuses().findLast(({ engine }) => engine !== null));
  expect([status.verdict, status.engine]).toEqual(['none', end.problem?.text]);
  const probe = await editor.command<RunStarted>(COMMANDS.probe, {
    uri: uriOf(join(desk.folder, 'loadline.json')),
  });
  const { problem } = await ended(editor, probe.run);
  expect(problem?.help).toBe('engine');
});

test('of several engines one that is away is told, and the run goes on', async () => {
  const hosts = ['unix:///nowhere/docker.sock', 'unix:///var/run/docker.sock'];
  const editor = await desk.start({ settings: () => ({ docker: { hosts } }) });
  const run = await qualify(editor, await editor.open(desk.path, desk.text), LOST);
  expect(await ended(editor, run)).toMatchObject({ verdict: 'failed' });
  const texts = told(editor, run).flatMap(({ state, text = '' }) => (state === 'running' ? [text] : []));
  expect(texts).toContainEqual(expect.stringContaining(`The engine ${hosts[0]} is left out. `));
});

test('a key that cannot sign is told with the word for the button, and the verdict is shown', async () => {
  const key = join(desk.folder, 'key.jwk');
  writeFileSync(key, 'no key', { mode: 0o600 });
  const editor = await desk.start({ settings: () => ({ signingKey: key }) });
  const uri = await editor.open(desk.path, desk.text);
  const end = await ended(editor, await qualify(editor, uri, LOST));
  expect([end.verdict, end.problem?.help]).toEqual(['failed', 'key']);
  expect(end.problem?.text).toMatch(/^Not signed: no verdict file is written: .*key\.jwk/);
  expect(await known(editor, 'lost_answer')).toBe('failed');
  expect(existsSync(desk.verdicts)).toBe(false);
});

test('verdicts of somebody else are not shown as verdicts until their key is trusted', async () => {
  const signer = await desk.start();
  const uri = await signer.open(desk.path, desk.text);
  await ended(signer, await qualify(signer, uri, LOST));
  const { text } = await signer.command<{ text: string }>(COMMANDS.exportKeys, {});
  await signer.stop();
  const keys = join(desk.folder, 'keys.json');
  writeFileSync(keys, text);
  let settings: object = {};
  const reader = await desk.start({
    settings: () => settings,
    env: { XDG_CONFIG_HOME: join(desk.folder, 'none') },
  });
  await reader.open(desk.path, desk.text);
  expect(await known(reader, 'lost_answer')).toBe('none');
  expect(existsSync(join(desk.folder, 'none'))).toBe(false);
  settings = { trustedKeys: keys };
  await reader.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
  await reader.until(() => reader.statuses().find(({ verdict }: StatusParams) => verdict === 'failed'));
  expect(await known(reader, 'lost_answer')).toBe('failed signed');
});

test('all adapters are qualified in turn, and the engine is named', async () => {
  writeFileSync(join(desk.folder, 'adapter-b.js'), desk.text);
  const editor = await desk.start();
  const { run } = await editor.command<RunStarted>(COMMANDS.qualifyAll, {});
  const ends = await editor.until(() => {
    const all = editor.notifications<{ run: string; adapter: string; state: string; verdict?: string }>(
      MESSAGES.run,
    );
    const over = all.filter(({ state }) => state === 'ended');
    return over.length === 2 ? over : undefined;
  });
  expect(ends.map(({ adapter, verdict }) => [adapter, verdict])).toEqual([
    [uriOf(join(desk.folder, 'adapter-b.js')), 'failed'],
    [uriOf(desk.path), 'failed'],
  ]);
  expect(ends[0]?.run).toBe(run);
  const status = await editor.until(() =>
    editor
      .statuses()
      .findLast(({ uri, busy, engine }) => uri === uriOf(desk.path) && !busy && engine !== null),
  );
  expect([status.verdict, status.engine]).toEqual([
    'failed',
    expect.stringMatching(/^Docker \S+, runc, tier container$/),
  ]);
});

test('the verdict file says of each line what it is', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  await ended(editor, await qualify(editor, uri, LOST));
  const verdicts = await editor.open(desk.verdicts, readFileSync(desk.verdicts, 'utf8'));
  const titles = async () =>
    (
      await editor.connection.sendRequest<{ command: { title: string } }[]>('textDocument/codeLens', {
        textDocument: { uri: verdicts },
      })
    ).map(({ command }) => command.title);
  expect(await titles()).toEqual(['✓ valid · lost_answer', 'failed: open ledger', '✓ valid · checkpoint 1']);
  await editor.edit(verdicts, '"verdict":"failed"', '"verdict":"qualified"');
  expect(await titles()).toEqual(['✗ forged', '✗ not whole · checkpoint 1']);
  expect(diagnosticText(await editor.pull(verdicts))).toEqual([
    '1:1 error verdict-file/signature: The signature does not belong to this statement and key.',
  ]);
});

test('a verdict file that appears, changes or goes is noticed', async () => {
  const editor = await desk.start();
  const uri = await editor.open(desk.path, desk.text);
  await ended(editor, await qualify(editor, uri, LOST));
  const aside = join(desk.folder, 'aside');
  renameSync(desk.verdicts, aside);
  await editor.changed(desk.verdicts, 3);
  await editor.until(() => (editor.statuses().at(-1)?.verdict === 'none' ? true : undefined));
  expect(await known(editor, 'lost_answer')).toBe('none');
  renameSync(aside, desk.verdicts);
  await editor.changed(desk.verdicts, 1);
  await editor.until(() => (editor.statuses().at(-1)?.verdict === 'failed' ? true : undefined));
  expect(await known(editor, 'lost_answer')).toBe('failed signed');
});
