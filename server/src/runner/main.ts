/** Entry of the runner process: Docker, broker and vendor behind messages on stdio. It writes nothing else on stdout. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import {
  type CancelParams,
  type QualifyParams,
  RUNNER_METHODS,
  type SandboxOptions,
} from '../../../shared/src/runnerProtocol.ts';
import { createAuthority } from '../broker/credential.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { qualify } from './qualification.ts';

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const authority = createAuthority();
const active = new Map<string, { abort: AbortController; done: Promise<unknown> }>();
const sandboxes = new Map<string, Promise<Sandbox>>();

/** One sandbox for all qualifications with the same options; one that failed to open is tried anew the next time. */
function sandboxFor(options: SandboxOptions, onProgress: (text: string) => void): Promise<Sandbox> {
  const key = JSON.stringify(options);
  const known = sandboxes.get(key);
  if (known) return known;
  const opening = openSandbox({
    ...options,
    guestScript: readFileSync(join(__dirname, 'guest.js')),
    imagesFolder: join(__dirname, 'sandbox-images'),
    onProgress,
  });
  sandboxes.set(key, opening);
  opening.catch(() => sandboxes.delete(key));
  return opening;
}

async function handleQualify(params: QualifyParams) {
  const abort = new AbortController();
  const { run } = params;
  const done = qualify(params, {
    authority: await authority,
    sandbox: ({ sandbox }) =>
      sandboxFor(sandbox, (text) => void connection.sendNotification(RUNNER_METHODS.progress, { run, text })),
    scenario: (change) => void connection.sendNotification(RUNNER_METHODS.scenario, { run, ...change }),
    signal: abort.signal,
  });
  active.set(run, { abort, done });
  try {
    return await done;
  } finally {
    active.delete(run);
  }
}

connection.onRequest(RUNNER_METHODS.qualify, handleQualify);
connection.onNotification(RUNNER_METHODS.cancel, ({ run }: CancelParams) => active.get(run)?.abort.abort());

let closing = false;

/** Ends every run and removes every container before this process ends. */
async function shutDown(): Promise<void> {
  if (closing) return;
  closing = true;
  for (const { abort } of active.values()) abort.abort();
  await Promise.allSettled([...active.values()].map(({ done }) => done));
  for (const opening of sandboxes.values())
    await opening.then((sandbox) => sandbox.close()).catch(() => undefined);
  process.exit(0);
}

// The parent decides: Ctrl-C reaches both, and the parent cancels. Its death shows as the end of stdin.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => void shutDown());
connection.onClose(() => void shutDown());
process.stdin.on('end', () => void shutDown());
process.stdout.on('error', () => void shutDown());
connection.listen();
