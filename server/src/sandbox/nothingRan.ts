/** Why a run did not start: no code of an adapter has run when one of these is thrown. */
export type NothingRanReason = 'engine' | 'image' | 'tier' | 'preflight' | 'capacity' | 'cancelled';

/**
 * A refusal before the guest started. `message` is one sentence for a person that says what is wrong and what to do.
 * An error that is not a NothingRan says nothing about whether the guest ran.
 */
export class NothingRan extends Error {
  readonly reason: NothingRanReason;

  constructor(reason: NothingRanReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NothingRan';
    this.reason = reason;
  }
}

export function cancelled(signal: AbortSignal | undefined): NothingRan | undefined {
  return signal?.aborted
    ? new NothingRan('cancelled', 'The run was cancelled before it started.')
    : undefined;
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  const error = cancelled(signal);
  if (error !== undefined) throw error;
}

/** The result of `work`, or a rejection as soon as the signal is aborted; `work` itself goes on. */
export async function unlessCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  work.catch(() => undefined);
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(cancelled(signal));
    signal.addEventListener('abort', abort, { once: true });
    stop = () => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop();
  }
}
