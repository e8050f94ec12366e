/** Entry of the guest: speaks JSON-RPC over stdin and stdout, logs to stderr, ends when stdin ends. */
import type { Readable } from 'node:stream';
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
import { lanesAsked } from '../../shared/src/lanes.ts';
import { openLanes, type Streams } from './lanes.ts';
import { Log } from './log.ts';
import { type Host, Session } from './session.ts';

/** Writes at once: what was said before the adapter blocks this thread has left it. Lanes gather what they send. */
class FrameWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    super();
    this.#streams = streams;
  }

  write(message: Message): Promise<void> {
    this.#streams.write(encodeFrame(message));
    return Promise.resolve();
  }

  end(): void {}
}

/** Resolves once `input` is past the start marker. */
function startMarker(input: Readable): Promise<void> {
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
      input.off('data', onData);
      input.pause();
      const rest = seen.subarray(at + marker.length);
      if (rest.length > 0) input.unshift(rest);
      resolve();
    };
    input.on('data', onData);
  });
}

async function serve(log: Log, streams: Streams): Promise<void> {
  await startMarker(streams.input);
  const connection = createMessageConnection(
    new StreamMessageReader(streams.input),
    new FrameWriter(streams),
  );
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
  streams.input.resume();
  const hello: HelloParams = { protocol: 1, node: process.version };
  void connection.sendNotification(METHODS.hello, hello);
}

async function start(lanes: number, log: Log): Promise<void> {
  const { stdin, stdout } = process;
  if (lanes === 0) return serve(log, { input: stdin, write: (frame) => stdout.write(frame) });
  await startMarker(stdin);
  const opened = openLanes(lanes, stdin, stdout);
  stdin.resume();
  await Promise.all(opened.map((streams) => serve(log, streams)));
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
void start(lanesAsked(process.argv), log);
