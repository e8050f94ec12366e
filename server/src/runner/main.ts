/** Entry of the runner process: Docker, broker and vendor behind messages on stdio. It writes nothing else on stdout. */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { ProbeParams } from '../../../shared/src/probe.ts';
import {
  type AdapterParams,
  type CancelParams,
  type ExploreParams,
  type QualifyParams,
  RUNNER_METHODS,
  type SandboxOptions,
  type TrialsParams,
} from '../../../shared/src/runnerProtocol.ts';
import { createAuthority } from '../broker/credential.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { explore } from './exploration.ts';
import type { RunnerParts } from './prepare.ts';
import { type Program, probe } from './probe.ts';
import { qualify } from './qualification.ts';
import { trials } from './trials.ts';

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const authority = createAuthority();
/** What an engine that hangs keeps longer than this is left to the next start. */
const SHUTDOWN_MS = 30_000;
const active = new Map<string, { abort: AbortController; done: Promise<unknown> }>();
const sandboxes = new Map<string, Promise<Sandbox>>();
/** Aborted when this process ends. */
const closing = new AbortController();

/** Tells the caller; one that is gone shows as the end of stdin. */
function notify(method: string, params: object): void {
  const sent = async () => connection.sendNotification(method, params);
  sent().catch(() => undefined);
}

/** One sandbox for all requests with the same options; one that failed to open is tried anew the next time. */
function sandboxFor(
  options: SandboxOptions,
  onProgress: (text: string) => void,
  script: 'guest.js' | 'probe.js' = 'guest.js',
  programs: Program[] = [],
): Promise<Sandbox> {
  const key = JSON.stringify([script, options]);
  const known = sandboxes.get(key);
  if (known) return known;
  const opening = openSandbox({
    ...options,
    guestScript: readFileSync(join(__dirname, script)),
    programs,
    imagesFolder: join(__dirname, 'sandbox-images'),
    onProgress,
    signal: closing.signal,
  });
  sandboxes.set(key, opening);
  opening.catch(() => sandboxes.delete(key));
  return opening;
}

/** Does the work of one request; until it is done, `cancel` and the end of this process abort it. */
async function serve<Answer>(
  { run }: Pick<AdapterParams, 'run'>,
  work: (runner: RunnerParts) => Promise<Answer>,
): Promise<Answer> {
  const abort = new AbortController();
  // As many listen as trials are under way.
  setMaxListeners(0, abort.signal);
  const tell = (text: string) => notify(RUNNER_METHODS.progress, { run, text });
  const trouble = (text: string) => notify(RUNNER_METHODS.progress, { run, text, trouble: true });
  const sandbox = (options: SandboxOptions) => sandboxFor(options, tell);
  const done = authority.then((made) => work({ authority: made, sandbox, trouble, signal: abort.signal }));
  active.set(run, { abort, done });
  try {
    return await done;
  } finally {
    active.delete(run);
  }
}

connection.onRequest(RUNNER_METHODS.qualify, (params: QualifyParams) => {
  const { run } = params;
  const scenario = (change: object) => notify(RUNNER_METHODS.scenario, { run, ...change });
  return serve(params, (runner) => qualify(params, { ...runner, scenario }));
});
connection.onRequest(RUNNER_METHODS.trials, (params: TrialsParams) => {
  const { run } = params;
  const ended = (trial: object) => notify(RUNNER_METHODS.trial, { run, ...trial });
  return serve(params, (runner) => trials(params, { ...runner, ended }));
});
connection.onRequest(RUNNER_METHODS.explore, (params: ExploreParams) => {
  const { run } = params;
  const progress = (text: string) => notify(RUNNER_METHODS.progress, { run, text });
  return serve(params, (runner) => explore(params, { ...runner, progress }));
});
connection.onRequest(RUNNER_METHODS.probe, (params: ProbeParams) => {
  const { run } = params;
  const progress = (text: string) => void connection.sendNotification(RUNNER_METHODS.progress, { run, text });
  const folder = join(__dirname, 'sandbox-images/probe');
  return serve(params, ({ authority: made, sandbox, signal }) =>
    probe(params, {
      ...{ authority: made, signal, progress, guest: sandbox },
      prober: (options, programs) => sandboxFor(options, progress, 'probe.js', programs),
      adapter: readFileSync(join(folder, 'adapter.js'), 'utf8'),
      helperSource: join(folder, 'helper.c'),
    }),
  );
});
connection.onNotification(RUNNER_METHODS.cancel, ({ run }: CancelParams) => active.get(run)?.abort.abort());

/** Ends every run and removes every container before this process ends. */
async function shutDown(): Promise<void> {
  if (closing.signal.aborted) return;
  closing.abort();
  setTimeout(() => process.exit(1), SHUTDOWN_MS);
  for (const { abort } of active.values()) abort.abort();
  await Promise.allSettled([...active.values()].map(({ done }) => done));
  for (const opening of sandboxes.values())
    await opening.then((sandbox) => sandbox.close()).catch(() => undefined);
  process.exit(0);
}

// The parent decides: Ctrl-C reaches both, and the parent cancels. Its death shows as the end of stdin.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => void shutDown());
process.on('SIGHUP', () => void shutDown());
connection.onClose(() => void shutDown());
process.stdin.on('end', () => void shutDown());
process.stdout.on('error', () => void shutDown());
connection.listen();
