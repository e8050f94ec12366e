/** The host's end of the guest protocol: vscode-jsonrpc behind the frame guard, over a container's attached streams. */
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  createMessageConnection,
  type DataCallback,
  type Disposable,
  type Message,
} from 'vscode-jsonrpc/node';
import {
  type AdvanceParams,
  type CallParams,
  encodeFrame,
  type HelloParams,
  LIMITS,
  type LoadParams,
  type LoadResult,
  METHODS,
  type SettledParams,
  START_MARKER,
  type StepParams,
} from '../../../shared/src/guestProtocol.ts';
import { FrameGuard, type FrameLimits, type Violation } from './guard.ts';
import { type GuestMessage, GuestViolation, MAX_ID, MessageCheck } from './guestMessages.ts';
import { type GuestHandlers, GuestRun } from './guestRun.ts';

export type { Violation, ViolationReason } from './guard.ts';
export type { GuestHandlers } from './guestRun.ts';

export interface GuestChannelOptions {
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
  handlers: GuestHandlers;
  /** Default: LIMITS. */
  limits?: Partial<FrameLimits & { logBytes: number }>;
}

export interface GuestChannel {
  /** The guest's greeting. Rejects with ChannelClosed. */
  readonly hello: Promise<HelloParams>;
  /** Resolves at the first broken rule, after every message before it was handed over. Nothing is read after it. */
  readonly violation: Promise<Violation>;
  /** Resolves when stdout has ended, after every message before it was handed over. */
  readonly ended: Promise<void>;
  /** A handler failed: the run cannot go on, and this is why. */
  readonly failure: Promise<Error>;
  /** Reject with ChannelClosed, and only when the channel is closed: an answer may never come. */
  load(params: LoadParams): Promise<LoadResult>;
  step(params: StepParams): Promise<void>;
  /**
   * Ends the run, which is complete, and the adapter's session: what the guest has asked is answered no more, what it
   * still says is checked and dropped. Resolves when the guest has nothing left of it; rejects like `load`.
   */
  unload(): Promise<void>;
  /** After `unload`, else it throws: what the guest says from now on is another run's, with counters and log of its own. */
  begin(handlers: GuestHandlers): void;
  /** False: the guest has used so many ids that they might not last for another run. */
  hasRoom(): boolean;
  /** What the guest wrote on stderr during this run, at most `logBytes` of it. stderr may lag behind stdout. */
  log(): { text: string; truncated: boolean };
  /** Ends stdin; answers no more, reads and drops what still comes. Idempotent. */
  close(): void;
}

export class ChannelClosed extends Error {
  constructor() {
    super('The channel to the guest was closed.');
    this.name = 'ChannelClosed';
  }
}

/** Messages of ours to the connection itself, in line with the guest's; no guest can send them. */
const VIOLATION = '$loadline/violation';
const ENDED = '$loadline/ended';

export function openGuestChannel(options: GuestChannelOptions): GuestChannel {
  const limits = { ...LIMITS, ...options.limits };
  const check = new MessageCheck();
  const connection = createMessageConnection(
    new GuardedReader(options.stdout, new FrameGuard(limits), check),
    new FrameWriter(options.stdin, check, (broken) => violation.resolve(broken)),
  );
  const log = new GuestLog(options.stderr, limits.logBytes);
  const closed = deferred<never>();
  const failure = deferred<Error>();
  const hello = deferred<HelloParams>();
  const violation = deferred<Violation>();
  const ended = deferred<void>();
  closed.promise.catch(() => undefined);
  options.stdin.on('error', () => undefined);
  options.stdout.on('error', () => undefined);

  const runOf = (handlers: GuestHandlers) => new GuestRun(handlers, failure.resolve);
  let run = runOf(options.handlers);
  connection.onRequest(METHODS.call, (params: CallParams) => run.call(params));
  connection.onRequest(METHODS.advance, (params: AdvanceParams) => run.advance(params));
  connection.onNotification(METHODS.settled, (params: SettledParams) => run.settled(params));
  connection.onNotification(METHODS.hello, hello.resolve);
  connection.onNotification(VIOLATION, violation.resolve);
  connection.onNotification(ENDED, () => ended.resolve());
  options.stdin.write(START_MARKER);
  connection.listen();

  const ask = <Result>(method: string, params: unknown) => {
    const answer = connection.sendRequest<Result>(method, params);
    answer.catch(() => undefined);
    return Promise.race([answer, closed.promise]);
  };
  const greeting = Promise.race([hello.promise, closed.promise]);
  greeting.catch(() => undefined);
  let open = true;
  let unloaded = false;
  return {
    hello: greeting,
    violation: violation.promise,
    ended: ended.promise,
    failure: failure.promise,
    load: (params) => (open ? ask<LoadResult>(METHODS.load, params) : closed.promise),
    step: async (params) => {
      await (open ? ask<null>(METHODS.step, params) : closed.promise);
    },
    async unload() {
      if (!open) return closed.promise;
      const answer = ask<null>(METHODS.unload, {});
      // After the request, so that the old session is over before it could see these answers.
      run.end();
      await answer;
      log.restart();
      unloaded = true;
    },
    begin(handlers) {
      if (!unloaded) throw new Error('The guest has not unloaded its adapter.');
      unloaded = false;
      run = runOf(handlers);
    },
    hasRoom: () => check.largestId <= MAX_ID - limits.frames,
    log: () => log.read(),
    close() {
      if (!open) return;
      open = false;
      closed.reject(new ChannelClosed());
      connection.dispose();
      options.stdin.end();
      options.stdout.resume();
    },
  };
}

/** Hands checked messages to the connection; then, in the same line, what ended them. */
class GuardedReader extends AbstractMessageReader {
  readonly #stdout: Readable;
  readonly #guard: FrameGuard;
  readonly #check: MessageCheck;
  #open = true;

  constructor(stdout: Readable, guard: FrameGuard, check: MessageCheck) {
    super();
    this.#stdout = stdout;
    this.#guard = guard;
    this.#check = check;
  }

  listen(callback: DataCallback): Disposable {
    const end = (method: string, params: object) => {
      if (!this.#open) return;
      this.#open = false;
      callback(wireMessage({ kind: 'notification', method, params: { ...params } }));
    };
    this.#stdout.on('data', (chunk: Buffer) => {
      if (!this.#open) return;
      try {
        for (const body of this.#guard.push(chunk)) {
          const message = this.#check.check(body);
          if (message.kind === 'response' && message.method === METHODS.unload) this.#guard.beginRun();
          callback(wireMessage(message));
        }
        if (this.#guard.violation) end(VIOLATION, this.#guard.violation);
      } catch (error) {
        if (!(error instanceof GuestViolation)) throw error;
        end(VIOLATION, error.violation);
      }
    });
    this.#stdout.on('end', () => end(ENDED, {}));
    this.#stdout.on('close', () => end(ENDED, {}));
    return { dispose: () => this.dispose() };
  }

  override dispose(): void {
    this.#open = false;
    super.dispose();
  }
}

function wireMessage(message: GuestMessage): Message {
  const { kind: _, ...members } = message;
  const wire = { jsonrpc: '2.0', ...members };
  if (message.kind === 'response') delete (wire as { method?: string }).method;
  return wire;
}

/** Sixteen answers of the largest size: what a guest that reads may have before it. */
const UNREAD_BYTES = 64 * 1024 * 1024;

/** One write per message, in the order of the calls. A guest that does not read ends its run. */
class FrameWriter extends AbstractMessageWriter {
  readonly #stdin: Writable;
  readonly #check: MessageCheck;
  readonly #broken: (violation: Violation) => void;
  #open = true;

  constructor(stdin: Writable, check: MessageCheck, broken: (violation: Violation) => void) {
    super();
    this.#stdin = stdin;
    this.#check = check;
    this.#broken = broken;
  }

  write(message: Message): Promise<void> {
    const { id, method } = message as { id?: number; method?: string };
    if (id !== undefined && method !== undefined) this.#check.expect(id, method);
    if (this.#open && this.#stdin.writable) this.#send(encodeFrame(message));
    return Promise.resolve();
  }

  end(): void {
    this.#stdin.end();
  }

  #send(frame: Uint8Array): void {
    this.#open = this.#stdin.writableLength + frame.length <= UNREAD_BYTES;
    if (this.#open) this.#stdin.write(frame);
    else
      this.#broken({
        reason: 'unread',
        text: 'The guest does not read what it is sent: more than 64 MiB wait for it.',
      });
  }
}

/** Reads all of stderr, keeps the first `limit` bytes since `restart`, never half a character. */
class GuestLog {
  readonly #limit: number;
  #decoder = new StringDecoder('utf8');
  #text = '';
  #left: number;
  #truncated = false;

  constructor(stderr: Readable, limit: number) {
    this.#limit = limit;
    this.#left = limit;
    stderr.on('error', () => undefined);
    stderr.on('data', (chunk: Buffer) => this.#add(chunk));
  }

  read(): { text: string; truncated: boolean } {
    return { text: this.#text, truncated: this.#truncated };
  }

  restart(): void {
    this.#decoder = new StringDecoder('utf8');
    this.#text = '';
    this.#left = this.#limit;
    this.#truncated = false;
  }

  #add(chunk: Buffer): void {
    const kept = chunk.subarray(0, this.#left);
    this.#left -= kept.length;
    this.#text += this.#decoder.write(kept);
    if (kept.length < chunk.length) this.#truncated = true;
  }
}

interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: Error): void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
