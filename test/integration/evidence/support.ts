/** A project folder and a key of the test's own, and `loadline` run with that key. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { QualifyResult } from '../../../shared/src/results.ts';
import { type Finished, loadline, projectFolder } from '../../support/loadline.ts';
import { adapterText } from '../../support/runner.ts';

const opened: { remove(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.remove();
});

export interface Person {
  /** Folder of the project, with a right adapter in `adapter.js`. */
  folder: string;
  verdicts: string;
  /** Environment of this person: a key of their own. */
  env: NodeJS.ProcessEnv;
  keyFile: string;
  loadline(...args: string[]): Promise<Finished>;
  qualify(...args: string[]): Promise<Finished & { result: QualifyResult }>;
}

export function person(adapter = adapterText('adapter-v3.js')): Person {
  const project = projectFolder({ 'adapter.js': adapter });
  const config = mkdtempSync(join(tmpdir(), 'loadline-person-'));
  opened.push(project, { remove: () => rmSync(config, { recursive: true, force: true }) });
  const env = { XDG_CONFIG_HOME: config, LOADLINE_SIGNING_KEY: '' };
  const run = (...args: string[]) => loadline(args, { cwd: project.folder, env });
  return {
    folder: project.folder,
    verdicts: join(project.folder, 'adapter.verdicts.jsonl'),
    env,
    keyFile: join(config, 'loadline/key.jwk'),
    loadline: run,
    async qualify(...args) {
      const finished = await run('qualify', '--json', 'adapter.js', ...args);
      return { ...finished, result: JSON.parse(finished.stdout) };
    },
  };
}

/** Statements of a verdict file, the checkpoint last. */
// biome-ignore lint/suspicious/noExplicitAny: members are compared one by one
export function statementsOf(file: string): any[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line).statement);
}
