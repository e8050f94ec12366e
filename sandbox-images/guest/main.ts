/** Entry of the guest: speaks JSON-RPC over stdin and stdout, logs to stderr, ends when stdin ends. */
import { AbstractMessageWriter, type Message, type MessageWriter } from 'vscode-jsonrpc';
import { createMessageConnection, StreamMessageReader } from 'vscode-jsonrpc/node';
import {
  type AdvanceParams,
  type AdvanceResult,
  type CallParams,
  type CallResult,
  encodeFrame,
  type HelloParams,
  type LoadParams,
  type LoadResult,
  METHODS,
  type SettledParams,
  START_MARKER,
  type StepParams,
} from '../../shared/src/guestProtocol.ts';
import { Log } from './log.ts';
import { type Host, Session } from './session.ts';

/** Writes at once: what was said before the adapter blocks this thread has left it. */
class StdoutWriter extends AbstractMessageWriter implements MessageWriter {
  write(message: Message): Promise<void> {
    process.stdout.write(encodeFrame(message));
    return Promise.resolve();
  }

  end(): void {}
}

/** Resolves once stdin is past the start marker. */
function startMarker(): Promise<void> {
  const marker = Buffer.from(START_MARKER);
  return new Promise((resolve) => {
    let tail = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      const seen = Buffer.concat([tail, chunk]);
      const at = seen.indexOf(marker);
      if (at < 0) {
        tail = seen.subarray(Math.max(0, seen.length - marker.length));
        return;
      }
      process.stdin.off('data', onData);
      process.stdin.pause();
      const rest = seen.subarray(at + marker.length);
      if (rest.length > 0) process.stdin.unshift(rest);
      resolve();
    };
    process.stdin.on('data', onData);
  });
}

function serve(log: Log): void {
  const connection = createMessageConnection(new StreamMessageReader(process.stdin), new StdoutWriter());
  const host: Host = {
    call: (params: CallParams) => connection.sendRequest<CallResult>(METHODS.call, params),
    advance: (params: AdvanceParams) => connection.sendRequest<AdvanceResult>(METHODS.advance, params),
    settled: (params: SettledParams) => void connection.sendNotification(METHODS.settled, params),
  };
  let session: Session | undefined;
  connection.onRequest(METHODS.load, (params: LoadParams): Promise<LoadResult> => {
    if (session) throw new Error('An adapter is loaded.');
    session = new Session(params, host, log);
    return session.load();
  });
  connection.onRequest(METHODS.unload, (): null => {
    session?.end();
    session = undefined;
    log.restart();
    return null;
  });
  connection.onRequest(METHODS.step, (params: StepParams): Promise<null> => {
    if (!session) throw new Error('No adapter is loaded.');
    return session.step(params);
  });
  connection.listen();
  // It was paused by hand, so a listener alone does not start it again.
  process.stdin.resume();
  const hello: HelloParams = { protocol: 1, node: process.version };
  void connection.sendNotification(METHODS.hello, hello);
}

/**
 * The engine itself makes a few errors in the harness's realm and hands them to the adapter (a refused `import()`).
 * From those, `constructor.constructor` must not lead to a Function that compiles text here.
 */
function cutConstructors(): void {
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const kind of kinds) {
    Object.defineProperty(Object.getPrototypeOf(kind), 'constructor', { value: undefined });
  }
}

cutConstructors();
process.env.TZ = 'UTC';
const log = new Log((text) => {
  process.stderr.write(text);
});
process.on('unhandledRejection', (reason) =>
  log.line(['A promise was rejected and nobody handled it:', reason]),
);
process.on('uncaughtException', (error) => log.line(['An error was thrown and nobody caught it:', error]));
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
process.stderr.on('error', () => {});
void startMarker().then(() => serve(log));
