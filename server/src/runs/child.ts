/** A process of ours as its callers see it: started with an allow-listed environment, spoken to over its stdio. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';

export interface Child {
  process: ChildProcess;
  /** Not listening yet: the caller adds its handlers first. */
  connection: MessageConnection;
  /** Resolves with a sentence when the process has ended or could not be started. */
  died: Promise<string>;
}

export interface ChildOptions {
  /** For sentences: `runner`. */
  name: string;
  script: string;
  nodeArguments?: string[];
  /** Names of the variables that it may know. */
  environment: readonly string[];
  /** Variables that it gets in any case. */
  variables?: Readonly<Record<string, string>>;
}

export function startChild(options: ChildOptions): Child {
  const { name, script, nodeArguments = [], environment, variables = {} } = options;
  const env = Object.fromEntries(
    environment.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])),
  );
  const started = spawn(process.execPath, [...nodeArguments, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, ...variables, ELECTRON_RUN_AS_NODE: '1' },
  });
  const reader = new StreamMessageReader(started.stdout);
  // Its timer, once begun, goes on after a process that died in the middle of a message, and ours would never end.
  reader.partialMessageTimeout = 0;
  const connection = createMessageConnection(reader, new StreamMessageWriter(started.stdin));
  connection.onError(() => undefined);
  const died = new Promise<string>((resolve) => {
    started.once('error', (error) => resolve(`The ${name} could not be started: ${error.message}`));
    started.once('exit', (code, signal) => resolve(`The ${name} ended (${signal ?? `exit code ${code}`}).`));
  });
  void died.then(() => connection.dispose());
  return { process: started, connection, died };
}
