/**
 * Conducts one run: sends the contract's steps to the guest one at a time, moves the clock, and writes down what the
 * guest says and when. It knows no contract and no vendor; it believes nothing that the guest says about other than
 * its own values.
 */
import type { Contract, ContractPlan, ContractStep, Turn } from '../../../shared/src/contracts/contract.ts';
import type { BrokenReason, RunEnd, StepRecord } from '../../../shared/src/evidence/evidence.ts';
import {
  type AdvanceParams,
  type AdvanceResult,
  type CallParams,
  type CallResult,
  type InvocationResult,
  LIMITS,
  type LoadParams,
  type SettledParams,
  type Site,
} from '../../../shared/src/guestProtocol.ts';
import type { NotRunReason } from '../../../shared/src/results.ts';
import type { BrokerSession } from '../broker/types.ts';
import { ChannelClosed, type GuestChannel } from '../sandbox/guestChannel.ts';
import type { LedgerVendor } from '../vendor/vendor.ts';
import type { RealClock, VirtualClock } from './clock.ts';
import { deferred } from './deferred.ts';

/** A run that gave no verdict. `mayHaveRun`: adapter code may have been running. */
export class Interrupted extends Error {
  readonly reason: NotRunReason;
  readonly mayHaveRun: boolean;

  constructor(reason: NotRunReason, message: string, mayHaveRun: boolean) {
    super(message);
    this.reason = reason;
    this.mayHaveRun = mayHaveRun;
  }
}

export interface ConductorParts {
  /** The walk alone: the conductor judges nothing. */
  contract: Pick<Contract, 'start' | 'next'>;
  plan: ContractPlan;
  clock: VirtualClock | RealClock;
  broker: BrokerSession;
  vendor: LedgerVendor;
}

interface OpenStep {
  step: ContractStep;
  records: StepRecord[];
  results: (InvocationResult | undefined)[];
  settled: ReturnType<typeof deferred<InvocationResult[]>>;
}

/** A promise of its own each time: one for all would keep whatever ever waited for it, with the evidence of its run. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

export class Conductor {
  readonly steps: StepRecord[] = [];
  readonly #parts: ConductorParts;
  readonly #end = deferred<RunEnd>();
  #open: OpenStep | null = null;
  #registered: Promise<unknown> = Promise.resolve();
  #calls = 0;
  #over = false;

  constructor(parts: ConductorParts) {
    this.#parts = parts;
  }

  /** Handlers for the guest's messages, called in the order in which they arrive. */
  readonly handlers = {
    call: (params: CallParams): Promise<CallResult> => this.#call(params),
    advance: (params: AdvanceParams): Promise<AdvanceResult> => this.#advance(params),
    settled: (params: SettledParams): void => this.#settled(params),
  };

  /** Ends the run as broken; the first end counts. */
  break(reason: BrokenReason, text: string, site?: Site): void {
    this.#over = true;
    this.#end.resolve({ kind: 'broken', reason, text, ...(site ? { site } : {}) });
  }

  /** Ends the run without a verdict. */
  interrupt(error: Interrupted): void {
    this.#over = true;
    this.#end.reject(error);
  }

  /** Resolves when the vendor has handled every call that reached it. */
  async callsRegistered(): Promise<void> {
    await this.#registered;
  }

  /** Loads the adapter and walks the contract to its end. Throws Interrupted. */
  async conduct(channel: GuestChannel, load: LoadParams, onLoaded: (ok: boolean) => void): Promise<RunEnd> {
    const walked = this.#walk(channel, load, onLoaded).then((): RunEnd => ({ kind: 'complete' }));
    // What the guest did wrong was said by break() before its channel closed under the walk.
    walked.catch((error: Error) => {
      if (error instanceof ChannelClosed)
        this.break('guest-died', `The guest stopped answering: ${error.message}`);
      else this.interrupt(new Interrupted('runner', `The runner failed: ${error.message}`, true));
    });
    const end = await Promise.race([walked.catch(() => never()), this.#end.promise]);
    this.#over = true;
    return end;
  }

  async #walk(channel: GuestChannel, load: LoadParams, onLoaded: (ok: boolean) => void): Promise<void> {
    const loaded = await channel.load(load);
    const missing = loaded.loaded ? loaded.missing : [];
    onLoaded(loaded.loaded && missing.length === 0);
    if (!loaded.loaded) {
      const { name, message, site } = loaded.error;
      this.break('load', `The adapter does not load: ${name}: ${message}`, site);
      return never();
    }
    if (missing.length > 0) {
      this.break('exports', `The adapter does not export ${missing.join(', ')}.`);
      return never();
    }
    let turn: Turn<unknown> = this.#parts.contract.start(this.#parts.plan);
    for (;;) {
      const effect = turn.effects[0];
      if (effect === undefined || effect.kind === 'done') return;
      const results = await this.#runStep(channel, effect.step);
      turn = this.#parts.contract.next(turn.state, { kind: 'settled', step: effect.step.index, results });
    }
  }

  async #runStep(channel: GuestChannel, step: ContractStep): Promise<InvocationResult[]> {
    const { clock, vendor, broker } = this.#parts;
    const records = step.invocations.map(
      ({ export: name, args, about }, invocation): StepRecord => ({
        step: step.index,
        invocation,
        export: name,
        args,
        about,
        startedAt: clock.now(),
        ledgerFrom: vendor.ledger().length,
      }),
    );
    const settled = deferred<InvocationResult[]>();
    this.steps.push(...records);
    this.#open = { step, records, results: step.invocations.map(() => undefined), settled };
    broker.setStep(step.index);
    await channel.step({
      step: step.index,
      invocations: step.invocations.map(({ export: name, args }) => ({ export: name, args })),
    });
    return settled.promise;
  }

  #call(params: CallParams): Promise<CallResult> {
    if (this.#over) return never();
    this.#moveTo(params.at);
    this.#calls += 1;
    if (this.#calls > LIMITS.calls)
      this.break('call-budget', `The adapter made more than ${LIMITS.calls} calls.`, params.site);
    if (this.#open === null)
      this.break('call-outside-step', 'The adapter called the vendor while no step was open.', params.site);
    const { registered, answer } = this.#parts.broker.call(params);
    this.#registered = Promise.all([this.#registered, registered]);
    return answer;
  }

  async #advance({ step, timer, turns }: AdvanceParams): Promise<AdvanceResult> {
    await this.#registered;
    const { clock } = this.#parts;
    if (this.#over || clock.kind === 'real') return never();
    if (this.#open?.step.index === step) {
      if (turns > LIMITS.timerTurns)
        this.break(
          'timer-budget',
          `The adapter ran more than ${LIMITS.timerTurns} timers.`,
          this.#lastSite(),
        );
      else if (timer === null && clock.next() === null)
        this.break(
          'hang',
          'The adapter waits for nothing: no call and no timer is under way.',
          this.#lastSite(),
        );
      else await clock.advance(timer);
      if (clock.now() > LIMITS.virtualMs)
        this.break('virtual-budget', 'The adapter took more than 30 minutes of the run.', this.#lastSite());
      // The answers that became due are written by promise reactions; they go out before this one.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { now: clock.now(), until: Math.min(clock.next() ?? LIMITS.virtualMs, LIMITS.virtualMs) };
  }

  #settled({ step, invocation, result, at }: SettledParams): void {
    if (this.#over) return;
    const open = this.#open;
    const record = open?.records[invocation];
    if (open === null || open.step.index !== step || record === undefined || record.result !== undefined) {
      this.break('protocol', 'The guest reported a step that was not asked for.');
      return;
    }
    this.#moveTo(at);
    const { clock, vendor, broker } = this.#parts;
    record.result = result;
    record.returnedAt = clock.now();
    record.ledgerTo = vendor.ledger().length;
    record.traceTo = broker.trace().length;
    open.results[invocation] = result;
    const results = open.results.filter((item) => item !== undefined);
    if (results.length < open.results.length) return;
    this.#open = null;
    broker.setStep(null);
    open.settled.resolve(results);
  }

  /** The guest passes its own timers without asking; never past an event of the host. */
  #moveTo(at: number): void {
    const { clock } = this.#parts;
    if (clock.kind === 'real') return;
    clock.moveTo(Math.min(at, LIMITS.virtualMs));
    // No answer of ours lets the guest pass its timers that far.
    if (at > LIMITS.virtualMs) this.break('protocol', 'The guest claims a time that the run never had.');
  }

  #lastSite(): Site | undefined {
    const step = this.#open?.step.index;
    return this.#parts.broker.trace().findLast((row) => row.step === step)?.site;
  }
}
