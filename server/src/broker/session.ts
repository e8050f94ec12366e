/**
 * One run's gate to its vendor: every call is checked, forwarded with the run's credential and traced here. All times
 * are on the run's clock. On a virtual clock one call is registered after another, in the order of their arrival; on a
 * real one they are under way side by side.
 */
import type { RefusedBy, TraceRow } from '../../../shared/src/evidence/evidence.ts';
import { type CallParams, type CallResult, LIMITS } from '../../../shared/src/guestProtocol.ts';
import {
  fixedTarget,
  matchTarget,
  type OperationMatch,
  routesOf,
  type TargetRefusal,
} from '../grant/match.ts';
import type { VendorOutcome, VendorRequest } from '../vendor/vendor.ts';
import { advise } from './advisor.ts';
import { type Answered, answerOf, CALL_LIMIT_MS, MAX_BODY_BYTES, refusal, timedOut } from './answers.ts';
import { Breaker } from './breaker.ts';
import { echoCheck } from './echo.ts';
import { forwardedHeaders, wrongHeader } from './headers.ts';
import { bodyText } from './mediaType.ts';
import { schemaNotes } from './schemaNotes.ts';
import { callsOf, TraceLog } from './traceLog.ts';
import type { Advice, BrokerOptions, BrokerSession, PendingCall } from './types.ts';

/** Calls of one run where no budget is given. */
const CALL_BUDGET = 1000;
/** Milliseconds a refused or shed call takes. */
const REFUSAL_MS = 1;
/** Milliseconds the vendor's health may take to answer. */
const PROBE_LIMIT_MS = 2000;
/** Milliseconds that a failed probe keeps the breaker open. */
const PROBE_AGAIN_MS = 1000;

export function createBrokerSession(options: BrokerOptions): BrokerSession {
  return new Session(options);
}

interface Call {
  request: CallParams;
  match: OperationMatch | TargetRefusal;
  row: TraceRow;
  /** ms on the run's clock. */
  arrived: number;
  answer: Promise<CallResult>;
  settle(result: CallResult): void;
}

/** A call that the route gate has approved. */
type ApprovedCall = Call & { match: OperationMatch };

type ExchangeEnd = VendorOutcome | { kind: 'late' };

class Session implements BrokerSession {
  readonly #options: BrokerOptions;
  readonly #budget: number;
  readonly #health: string | null;
  readonly #echoes: (answer: string) => boolean;
  readonly #breaker = new Breaker();
  readonly #log = new TraceLog();
  readonly #perRoute = new Map<string, number>();
  readonly #scheduled = new Set<() => void>();
  /** Calls that wait for the probe under way. */
  #waiting: ApprovedCall[] | null = null;
  #order: Promise<void> = Promise.resolve();
  #step: number | null = null;
  #ended = false;
  #charged = 0;
  #inFlight = 0;
  #stray = 0;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#budget = options.callBudget ?? CALL_BUDGET;
    this.#echoes = echoCheck(options.authorization);
    const { surface } = options;
    const health = surface.operations.find(({ name, grant }) => name === surface.health && grant !== null);
    this.#health = health === undefined ? null : fixedTarget(health);
  }

  setStep(step: number | null): void {
    this.#step = step;
  }

  call(request: CallParams): PendingCall {
    const match = this.#match(request);
    const refused = this.#refusalOf(match, request);
    const now = this.#options.clock.now();
    const phase = refused === null ? this.#breaker.phase(now) : { kind: 'closed' as const };
    const call = this.#arrived(request, match, phase.kind === 'open');
    if (refused !== null || match.kind === 'refused') {
      this.#refuse(call, refused ?? ['route', 'The call is not granted.']);
      return pending(call, Promise.resolve());
    }
    this.#charge(match);
    const approved: ApprovedCall = { ...call, match };
    if (phase.kind === 'open') {
      this.#shed(approved, phase.remainingMs);
      return pending(call, Promise.resolve());
    }
    if (phase.kind === 'probe-due' && this.#health !== null) return pending(call, this.#awaitProbe(approved));
    return pending(call, this.#proceed(approved));
  }

  end(): void {
    this.#ended = true;
    this.#step = null;
    for (const cancel of this.#scheduled) cancel();
    this.#scheduled.clear();
    this.#waiting = null;
  }

  trace(): readonly TraceRow[] {
    return this.#log.rows();
  }

  strayCalls(): number {
    return this.#stray;
  }

  counts(): { sent: number; refused: number; shed: number; perOperation: Record<string, number> } {
    const counts = {
      sent: 0,
      refused: 0,
      shed: 0,
      perOperation: Object.create(null) as Record<string, number>,
    };
    for (const row of this.#log.rows()) {
      if (row.refused === 'shed') counts.shed += callsOf(row);
      else if (row.refused !== undefined) counts.refused += 1;
      if (row.sent === 'no' || row.operation === null) continue;
      counts.sent += 1;
      counts.perOperation[row.operation] = (counts.perOperation[row.operation] ?? 0) + 1;
    }
    return counts;
  }

  advice(): Advice[] {
    return advise(this.#log.rows(), this.#options.surface);
  }

  #match(request: CallParams): OperationMatch | TargetRefusal {
    const match = matchTarget(routesOf(this.#options.surface), request.method, request.target);
    if (match.kind === 'refused') return match;
    const text = wrongHeader(request, match.grant);
    return text === null ? match : { kind: 'refused', reason: 'header', text, operation: match.operation };
  }

  /** The first check, in their order, that refuses a call before the breaker is asked. */
  #refusalOf(match: OperationMatch | TargetRefusal, request: CallParams): Refusal | null {
    if (this.#ended) return ['run-ended', 'The run has ended; no call is let through any more.'];
    if (this.#step === null)
      return ['no-step', 'No step is open; an adapter may call only while it is asked for something.'];
    if (this.#inFlight >= LIMITS.callsInFlight) {
      return [
        'in-flight',
        `${LIMITS.callsInFlight} calls are unanswered; wait for one of them before the next.`,
      ];
    }
    if (this.#charged >= this.#budget)
      return ['budget', `The run's budget of ${this.#budget} calls is used up.`];
    if (match.kind === 'refused') {
      // A call that the gate refuses is charged: trying routes is not free.
      this.#charged += 1;
      return ['route', match.text];
    }
    const { max } = match.grant;
    if (max === undefined || (this.#perRoute.get(match.operation.name) ?? 0) < max) return null;
    this.#charged += 1;
    return [
      'route-budget',
      `The grant allows ${max} calls of ${request.method} ${match.operation.path} in a run.`,
    ];
  }

  #charge(match: OperationMatch): void {
    const { name } = match.operation;
    this.#charged += 1;
    this.#perRoute.set(name, (this.#perRoute.get(name) ?? 0) + 1);
  }

  #giveBack(match: OperationMatch): void {
    const { name } = match.operation;
    this.#charged -= 1;
    this.#perRoute.set(name, (this.#perRoute.get(name) ?? 0) - 1);
  }

  #arrived(request: CallParams, match: OperationMatch | TargetRefusal, shed: boolean): Call {
    const { clock } = this.#options;
    const arrived = clock.now();
    const facts = {
      at: arrived,
      step: this.#step,
      method: request.method.slice(0, 16),
      route: match.operation?.path ?? null,
      operation: match.operation?.name ?? null,
      origin: 'broker' as const,
      sent: 'no' as const,
      requestBytes:
        request.body === undefined ? 0 : Buffer.byteLength(bodyText(request.body, request.contentType)),
      ...(request.site ? { site: request.site } : {}),
    };
    const row = shed ? this.#log.shed(facts) : this.#log.open(facts);
    if (this.#step === null) this.#stray += 1;
    this.#inFlight += 1;
    const { promise: answer, resolve: settle } = deferred<CallResult>();
    return { request, match, row, arrived, answer, settle };
  }

  #refuse(call: Call, [by, text]: Refusal, retryMs = 0): void {
    call.row.refused = by;
    const { clock } = this.#options;
    this.#at(clock.now() + REFUSAL_MS, () =>
      this.#deliver(call, { result: refusal(by, text, retryMs), bytes: 0 }),
    );
  }

  #shed(call: ApprovedCall, remainingMs: number): void {
    this.#giveBack(call.match);
    const text = `The vendor asked to be left alone; call again in ${remainingMs} ms.`;
    this.#refuse(call, ['shed', text], remainingMs);
  }

  /** What follows the breaker: the size of the body, notes, the vendor. Resolves once the answer is on the clock. */
  #proceed(call: ApprovedCall): Promise<void> {
    const { row, request, match } = call;
    if (row.requestBytes > MAX_BODY_BYTES) {
      this.#refuse(call, ['body', 'The body of the call is larger than 1 MiB.']);
      return Promise.resolve();
    }
    const notes = schemaNotes(this.#options.surface).of(match, request, row.requestBytes);
    if (notes.length > 0) row.notes = notes;
    row.sent = 'maybe';
    const forwarded: VendorRequest = {
      method: request.method,
      target: request.target,
      headers: forwardedHeaders(request, this.#options.authorization),
      ...(request.body === undefined ? {} : { body: request.body }),
      call: row.seq,
      step: row.step,
    };
    return this.#exchange(forwarded, CALL_LIMIT_MS, (end) => this.#answered(call, end));
  }

  #answered(call: ApprovedCall, end: ExchangeEnd): void {
    const { clock } = this.#options;
    const operation = call.match.operation.name;
    if (end.kind === 'late') {
      this.#deliver(call, { result: timedOut(operation), bytes: 0 });
      return;
    }
    const now = clock.now();
    const answered = answerOf(end, { operation, nowMs: clock.epoch + now, echoes: this.#echoes });
    const { overload, result } = answered;
    if (overload !== undefined && !result.ok) {
      result.retryAfterMs = this.#breaker.open(overload.status, overload.ms, now);
    }
    this.#deliver(call, answered);
  }

  #deliver(call: Call, { result, bytes }: Pick<Answered, 'result' | 'bytes'>): void {
    const { row } = call;
    row.elapsed = this.#options.clock.now() - call.arrived;
    row.status = result.status;
    row.origin = result.ok ? 'vendor' : result.origin;
    row.sent = result.ok ? 'yes' : result.sent;
    row.answerBytes = bytes;
    this.#inFlight -= 1;
    call.settle(result);
  }

  /** One probe for everyone: calls that arrive while it is under way wait for the same answer. */
  #awaitProbe(call: ApprovedCall): Promise<void> {
    if (this.#waiting !== null) {
      this.#waiting.push(call);
      return this.#order;
    }
    this.#waiting = [call];
    const openings = this.#breaker.openings;
    const probe: VendorRequest = {
      method: 'GET',
      target: this.#health ?? '/',
      headers: forwardedHeaders(
        { method: 'GET', target: '/', headers: {}, at: 0 },
        this.#options.authorization,
      ),
      call: null,
      step: null,
    };
    return this.#exchange(probe, PROBE_LIMIT_MS, (end) => this.#probed(end, openings));
  }

  async #probed(end: ExchangeEnd, openings: number): Promise<void> {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    const now = this.#options.clock.now();
    const well = end.kind === 'answer' && end.status >= 200 && end.status < 300;
    // An answer that arrived meanwhile and opened the breaker again knows better than the probe.
    if (!well) this.#breaker.open(503, PROBE_AGAIN_MS, now);
    else if (this.#breaker.openings === openings) this.#breaker.close();
    const phase = this.#breaker.phase(now);
    const registered: Promise<void>[] = [];
    for (const call of waiting) {
      if (phase.kind === 'open') this.#shed(call, phase.remainingMs);
      else registered.push(this.#proceed(call));
    }
    if (this.#options.clock.kind === 'virtual') await Promise.all(registered);
  }

  /** One request to the vendor; `done` runs once, on the clock, when the answer is due or the limit has passed. */
  #exchange(
    request: VendorRequest,
    limitMs: number,
    done: (end: ExchangeEnd) => void | Promise<void>,
  ): Promise<void> {
    const { clock } = this.#options;
    let over = false;
    let cancelAnswer = (): void => undefined;
    const finish = (end: ExchangeEnd): void | Promise<void> => {
      over = true;
      cancelLimit();
      cancelAnswer();
      return done(end);
    };
    const cancelLimit = this.#at(clock.now() + limitMs, () => finish({ kind: 'late' }));
    return this.#inOrder(async () => {
      if (this.#ended) return;
      const outcome = await this.#handled(request);
      if (over || this.#ended) return;
      const after = Number.isFinite(outcome.afterMs) ? Math.max(0, outcome.afterMs) : 0;
      cancelAnswer = this.#at(clock.now() + after, () => finish(outcome));
    });
  }

  /** A vendor that throws has not said whether it acted. */
  async #handled(request: VendorRequest): Promise<VendorOutcome> {
    try {
      return await this.#options.vendor.handle(request, this.#options.clock.now());
    } catch {
      return { kind: 'dropped', afterMs: REFUSAL_MS };
    }
  }

  #inOrder(task: () => Promise<void>): Promise<void> {
    if (this.#options.clock.kind === 'real') return task();
    this.#order = this.#order.then(task);
    return this.#order;
  }

  /** Schedules what the end of the run cancels. */
  #at(time: number, action: () => void | Promise<void>): () => void {
    const cancelOnClock = this.#options.clock.at(time, () => {
      this.#scheduled.delete(cancel);
      return action();
    });
    const cancel = (): void => {
      this.#scheduled.delete(cancel);
      cancelOnClock();
    };
    this.#scheduled.add(cancel);
    return cancel;
  }
}

type Refusal = [by: RefusedBy, text: string];

function pending(call: Call, registered: Promise<void>): PendingCall {
  return { registered, answer: call.answer };
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
