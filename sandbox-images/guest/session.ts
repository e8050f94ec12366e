/** One loaded adapter: its realm, its clock and what the host asks of it. Knows no plan and no step to come. */
import {
  type AdvanceParams,
  type AdvanceResult,
  type CallParams,
  type CallResult,
  type InvocationResult,
  LIMITS,
  type LoadParams,
  type LoadResult,
  type SettledParams,
  type StepParams,
  type ThrownValue,
} from '../../shared/src/guestProtocol.ts';
import { type GuestClock, RealClock, VirtualClock } from './clock.ts';
import { encode, holdsOdd, isOdd } from './encoder.ts';
import type { Log } from './log.ts';
import type { InvokeRequest } from './realm/calls.ts';
import { createRealm, type Realm } from './realm/realm.ts';
import { Sites } from './sites.ts';
import { describeThrown } from './thrown.ts';
import { RealTurns, type Turns, turn, VirtualTurns } from './turns.ts';

/** How the guest speaks to the host. */
export interface Host {
  call(params: CallParams): Promise<CallResult>;
  advance(params: AdvanceParams): Promise<AdvanceResult>;
  settled(params: SettledParams): void;
}

/** Above the broker's limit for bodies, so that a body too large is the broker's refusal; below the frame's. */
const MAX_BODY_BYTES = 3 * 512 * 1024;
const MAX_TARGET = 16 * 1024;

/** Who an ended session speaks to. */
const NOBODY: Host = {
  call: () => new Promise(() => undefined),
  advance: () => new Promise(() => undefined),
  settled: () => undefined,
};

export class Session {
  #host: Host;
  readonly #log: Log;
  readonly #clock: GuestClock;
  readonly #turns: Turns;
  readonly #sites: Sites;
  readonly #realm: Realm;
  readonly #params: LoadParams;
  readonly #functions = new Map<string, unknown>();
  #exports: unknown;
  #calls = 0;
  #open = false;

  constructor(params: LoadParams, host: Host, log: Log) {
    this.#params = params;
    this.#host = host;
    this.#log = log;
    if (params.clock === 'virtual') {
      const clock = new VirtualClock();
      this.#clock = clock;
      this.#turns = new VirtualTurns(clock, (advance) => this.#host.advance(advance));
    } else {
      this.#clock = new RealClock();
      this.#turns = new RealTurns();
    }
    this.#realm = createRealm({
      epoch: params.epoch,
      random: params.random,
      now: () => this.#clock.now(),
      startTimer: (action, ms, repeat) => this.#clock.start(() => this.#runTimer(action), ms, repeat),
      stopTimer: (timer) => this.#clock.stop(timer),
      sendCall: (request) => this.#sendCall(request),
      log: (values) => log.line(values),
      client: params.client,
      clientName: params.clientName,
    });
    this.#sites = new Sites(params.fileName, this.#realm.error);
  }

  /** Runs the module once and reads its exports. */
  async load(): Promise<LoadResult> {
    const { adapter, fileName, exports: names } = this.#params;
    try {
      this.#exports = this.#realm.load(adapter, fileName);
    } catch (error) {
      return { loaded: false, error: this.#loadError(error) };
    }
    for (const name of names) {
      const value = this.#readExport(name);
      if (typeof value === 'function') this.#functions.set(name, value);
    }
    await turn();
    const isMissing = (name: string) => !this.#functions.has(name);
    return { loaded: true, exports: [...this.#functions.keys()], missing: names.filter(isMissing) };
  }

  /** Ends the session for good: it says nothing more, and none of the adapter's code is started again. */
  end(): void {
    this.#host = NOBODY;
    this.#turns.end();
    this.#clock.end();
  }

  /** Starts all invocations in one turn; resolves when every one has settled and the adapter is idle. */
  step(params: StepParams): Promise<null> {
    if (this.#open) return Promise.reject(new Error('A step is under way.'));
    this.#open = true;
    return new Promise((resolve) => {
      let waiting = params.invocations.length;
      const finish = () => {
        this.#open = false;
        resolve(null);
      };
      const settled = (invocation: number, result: InvocationResult) => {
        this.#host.settled({ step: params.step, invocation, result, at: this.#now() });
        waiting -= 1;
        if (waiting === 0) this.#turns.settled(finish);
      };
      params.invocations.forEach(({ export: name, args }, index) => {
        const call = this.#functions.get(name);
        this.#realm.start(call, this.#exports, JSON.stringify(args), (returned, value) => {
          settled(index, this.#result(returned, value));
        });
      });
      this.#turns.opened(params.step);
      if (waiting === 0) this.#turns.settled(finish);
    });
  }

  #now(): number {
    return Math.floor(this.#clock.now());
  }

  #result(returned: boolean, value: unknown): InvocationResult {
    const { prototypes } = this.#realm;
    if (returned) return { kind: 'returned', value: encode(value, prototypes, LIMITS.reportBytes) };
    return { kind: 'threw', error: describeThrown(value, prototypes, this.#sites) };
  }

  #readExport(name: string): unknown {
    try {
      return Reflect.get(Object(this.#exports), name, this.#exports);
    } catch (error) {
      this.#log.line([`Reading the export ${name} failed:`, error]);
      return undefined;
    }
  }

  #loadError(error: unknown): ThrownValue {
    const described = describeThrown(error, this.#realm.prototypes, this.#sites);
    const site = this.#sites.ofSyntaxError(error);
    if (site) described.site = site;
    described.message = explainLoadError(described.message);
    return described;
  }

  #runTimer(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#log.line(['A timer threw:', error]);
    }
  }

  #sendCall(request: InvokeRequest): number | string {
    const params = this.#callParams(request);
    if (typeof params === 'string') return params;
    const trace = this.#sites.here();
    const site = this.#sites.first(trace);
    if (site) params.site = site;
    this.#calls += 1;
    const call = this.#calls;
    this.#turns.callSent();
    const text = trace.map((line) => `\n${line}`).join('');
    void this.#host.call(params).then((result) => {
      this.#turns.deliver(() => this.#realm.answer(call, JSON.stringify(result), text));
    });
    return call;
  }

  /** The call's parameters, or why it cannot be sent. */
  #callParams(request: InvokeRequest): CallParams | string {
    const { prototypes } = this.#realm;
    const { method, target, contentType } = request;
    if (typeof method !== 'string' || typeof target !== 'string' || target.length > MAX_TARGET) {
      return 'The call has no usable method or target.';
    }
    const headers = encode(request.headers ?? null, prototypes, MAX_TARGET);
    if (holdsOdd(headers)) return 'A header of the call is no text.';
    const params: CallParams = { method, target, headers: Object.create(null), at: this.#now() };
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (typeof value !== 'string') return `The header ${name} is no text.`;
      params.headers[name] = value;
    }
    if (request.body !== undefined) {
      const body = encode(request.body, prototypes, MAX_BODY_BYTES);
      if (isOdd(body)) return `The body is no JSON value: ${body.$odd}.`;
      if (holdsOdd(body)) return 'The body holds something that is no JSON value.';
      params.body = body;
    }
    if (typeof contentType === 'string') params.contentType = contentType;
    return params;
  }
}

function explainLoadError(message: string): string {
  if (/import statement outside a module|Unexpected token 'export'|'import\.meta'/.test(message)) {
    return `An adapter is a CommonJS module: use module.exports instead of import and export. (${message})`;
  }
  if (message === 'require is not defined') {
    return 'require is not defined: an adapter is one file and loads no other modules.';
  }
  return message;
}
