/** What a guest asks during one run, and which of its requests are still unanswered. */
import type {
  AdvanceParams,
  AdvanceResult,
  CallParams,
  CallResult,
  SettledParams,
} from '../../../shared/src/guestProtocol.ts';

/** Called in the order in which messages arrived, each before the next is looked at. */
export interface GuestHandlers {
  call(params: CallParams): Promise<CallResult>;
  advance(params: AdvanceParams): Promise<AdvanceResult>;
  settled(params: SettledParams): void;
}

/** The answer to what belongs to a run that is over: the guest drops it too. */
type Dropped = null;

/** Answers go out in the order in which the handlers' promises resolve: each takes the same way. */
export class GuestRun {
  readonly #handlers: GuestHandlers;
  readonly #fail: (error: Error) => void;
  /** Each answers one request with `Dropped`. */
  readonly #unanswered = new Set<() => void>();
  #over = false;

  /** `fail`: told when a handler fails while the run goes on. */
  constructor(handlers: GuestHandlers, fail: (error: Error) => void) {
    this.#handlers = handlers;
    this.#fail = fail;
  }

  call(params: CallParams): Promise<CallResult | Dropped> {
    return this.#answer(async () => withFiniteWait(await this.#handlers.call(params)));
  }

  advance(params: AdvanceParams): Promise<AdvanceResult | Dropped> {
    return this.#answer(async () => {
      const result = await this.#handlers.advance(params);
      return result;
    });
  }

  settled(params: SettledParams): void {
    if (this.#over) return;
    try {
      this.#handlers.settled(params);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Answers what is unanswered, and whatever still comes, with nothing; no handler is called any more. */
  end(): void {
    this.#over = true;
    for (const drop of this.#unanswered) drop();
    this.#unanswered.clear();
  }

  #answer<Result>(work: () => Promise<Result>): Promise<Result | Dropped> {
    if (this.#over) return Promise.resolve(null);
    return new Promise((resolve) => {
      const drop = () => resolve(null);
      this.#unanswered.add(drop);
      work().then(
        (result) => {
          this.#unanswered.delete(drop);
          resolve(result);
        },
        // The guest learns nothing of our failures: it waits, and the run is ended from outside.
        (error: unknown) => this.#failed(error),
      );
    });
  }

  #failed(error: unknown): void {
    if (!this.#over) this.#fail(error instanceof Error ? error : new Error(String(error)));
  }
}

function withFiniteWait(result: CallResult): CallResult {
  if (result.ok) return result;
  const wait = Number.isFinite(result.retryAfterMs) ? Math.max(0, result.retryAfterMs) : 0;
  return { ...result, retryAfterMs: wait };
}
