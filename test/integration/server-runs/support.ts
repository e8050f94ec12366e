/** A session of an editor whose person has a key of their own, on a copy of the example, with runs as values. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS, MESSAGES, type RunParams, type RunStarted } from '../../../shared/src/protocol.ts';
import { containersLeft, projectFolder } from '../../support/loadline.ts';
import { Editor, type EditorOptions } from '../../support/lspClient.ts';
import { adapterText } from '../../support/runner.ts';

export interface Desk {
  folder: string;
  /** Path of the adapter. */
  path: string;
  text: string;
  verdicts: string;
  start(options?: Partial<EditorOptions>): Promise<Editor>;
  close(): Promise<void>;
}

export function openDesk(adapter = 'adapter-v1.js'): Desk {
  const text = adapterText(adapter);
  const project = projectFolder({ 'adapter.js': text });
  const config = mkdtempSync(join(tmpdir(), 'loadline-person-'));
  const editors: Editor[] = [];
  return {
    folder: project.folder,
    path: join(project.folder, 'adapter.js'),
    text,
    verdicts: join(project.folder, 'adapter.verdicts.jsonl'),
    async start(options = {}) {
      const env = { XDG_CONFIG_HOME: config, LOADLINE_SIGNING_KEY: '', ...options.env };
      // What is left of a run is told from what waits for the next by having nothing wait.
      const settings = () => ({ sandbox: { keepWarm: false } });
      const editor = await Editor.start({ folders: [project.folder], pull: true, settings, ...options, env });
      editors.push(editor);
      return editor;
    },
    async close() {
      for (const editor of editors.splice(0)) if (editor.child.exitCode === null) await editor.stop();
      project.remove();
      rmSync(config, { recursive: true, force: true });
    },
  };
}

export async function qualify(editor: Editor, uri: string, params: object = {}): Promise<string> {
  return (await editor.command<RunStarted>(COMMANDS.qualify, { uri, ...params })).run;
}

/** What was told of a run so far. */
export function told(editor: Editor, run: string): RunParams[] {
  return editor.notifications<RunParams>(MESSAGES.run).filter((each) => each.run === run);
}

export function ended(editor: Editor, run: string): Promise<RunParams> {
  return editor.until(() => told(editor, run).find(({ state }) => state === 'ended'));
}

/** `state`, of a scenario with its name and outcome; what only says what is being done is left out. */
export function outline(params: readonly RunParams[]): string[] {
  return params
    .filter(({ text }) => text === undefined)
    .map(({ state, scenario, result, verdict, problem }) =>
      [state, scenario, result?.verdict, verdict, problem?.help]
        .filter((word) => word !== undefined)
        .join(' '),
    );
}

/** Process ids of the children of a process whose command line has this bundle. */
export function childrenOf(pid: number | undefined, bundle: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return Number(parent) === pid && command.includes(bundle) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Containers that the runner of this editor's server started, or that anybody left behind. */
export async function left(editor: Editor): Promise<string[]> {
  const [runner = null] = childrenOf(editor.child.pid, 'runner.js');
  return containersLeft(undefined, runner);
}
