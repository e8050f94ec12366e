/** Runs one after another. What waits can be taken out, what runs can be told to end, and each end is told. */
import { randomUUID } from 'node:crypto';

export interface QueuedRun {
  readonly id: string;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
}

export interface RunTask {
  /** Does the run and tells its end. */
  work(run: QueuedRun): Promise<void>;
  /** Tells the end of a run that was cancelled before its turn. */
  dropped(run: QueuedRun): void;
  /** Tells the end of a run whose work threw. */
  failed(run: QueuedRun, error: unknown): void;
}

export interface RunQueueParts {
  /** Called when nothing has run for `idleMs`; the next run waits until it is done. */
  idle(): Promise<void>;
  idleMs: number;
}

interface Entry extends QueuedRun {
  abort: AbortController;
  task: RunTask;
  started: boolean;
}

export class RunQueue {
  readonly #parts: RunQueueParts;
  readonly #entries = new Map<string, Entry>();
  #last: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RunQueueParts) {
    this.#parts = parts;
  }

  /** Gives the run's id at once; its work begins when those before it are over. */
  add(task: RunTask): QueuedRun {
    clearTimeout(this.#timer);
    const abort = new AbortController();
    const entry: Entry = { id: randomUUID(), signal: abort.signal, abort, task, started: false };
    this.#entries.set(entry.id, entry);
    this.#last = this.#last.then(() => this.#turn(entry));
    return entry;
  }

  /** Ends a run; one that waits is over at once, one that is unknown is over already. */
  cancel(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.abort.abort();
    if (entry.started) return;
    this.#entries.delete(id);
    entry.task.dropped(entry);
  }

  /** Ends everything; resolves when it is over. */
  async stop(): Promise<void> {
    for (const id of [...this.#entries.keys()]) this.cancel(id);
    await this.#last;
    clearTimeout(this.#timer);
  }

  async #turn(entry: Entry): Promise<void> {
    if (!this.#entries.has(entry.id)) return;
    entry.started = true;
    try {
      await entry.task.work(entry);
    } catch (error) {
      entry.task.failed(entry, error);
    } finally {
      this.#entries.delete(entry.id);
      if (this.#entries.size === 0) this.#rest();
    }
  }

  #rest(): void {
    this.#timer = setTimeout(() => {
      this.#last = this.#last.then(() => this.#parts.idle()).catch(() => undefined);
    }, this.#parts.idleMs);
    this.#timer.unref();
  }
}
