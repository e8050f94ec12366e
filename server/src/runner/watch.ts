/** Watches one guest: what ends a run other than its last step. */
import type { ClockKind } from '../../../shared/src/results.ts';
import type { GuestChannel } from '../sandbox/guestChannel.ts';
import type { GuestContainer, GuestExit } from '../sandbox/sandbox.ts';
import { type Conductor, Interrupted } from './conductor.ts';
import { deferred } from './deferred.ts';

const GREETING_MS = 15_000;
/** Wall time of a whole run. Virtual time costs none of it. */
const DEADLINE_MS = { virtual: 20_000, real: 300_000 } as const;

export interface GuestWatch {
  /** Resolves when the guest has greeted; rejects with Interrupted where it did not or was stopped before. */
  greeted: Promise<void>;
  stop(): void;
}

export function watchGuest(parts: {
  container: GuestContainer;
  channel: GuestChannel;
  conductor: Conductor;
  clock: ClockKind;
  signal: AbortSignal;
}): GuestWatch {
  const { container, channel, conductor, signal } = parts;
  const greeted = deferred<void>();
  let watching = true;
  let began = false;

  const interrupt = (error: Interrupted) => {
    greeted.reject(error);
    conductor.interrupt(error);
  };
  const cancel = () => interrupt(new Interrupted('cancelled', 'The run was cancelled.', began));
  const exited = (exit: GuestExit) => {
    if (!watching) return;
    if (!began)
      interrupt(new Interrupted('engine', `The guest ended before it greeted (${exitText(exit)}).`, false));
    else if (exit.oomKilled || outOfHeap(exit, channel.log().text))
      conductor.break('memory', 'The adapter used more memory than the sandbox gives it (256 MiB).');
    else conductor.break('guest-died', `The guest ended in the middle of the run (${exitText(exit)}).`);
  };
  const lost = (error: Error) => {
    if (watching)
      interrupt(new Interrupted('engine', `The engine was lost during the run: ${error.message}`, began));
  };

  const greeting = setTimeout(
    () => interrupt(new Interrupted('engine', 'The guest did not greet within 15 seconds.', false)),
    GREETING_MS,
  );
  const deadlineMs = DEADLINE_MS[parts.clock];
  const deadline = setTimeout(
    () =>
      conductor.break('deadline', `The run did not end within ${deadlineMs / 1000} seconds of real time.`),
    deadlineMs,
  );
  channel.hello.then(
    () => {
      began = true;
      clearTimeout(greeting);
      greeted.resolve();
    },
    () => undefined,
  );
  channel.violation.then(({ text }) => {
    if (began) conductor.break('protocol', text);
    else interrupt(new Interrupted('engine', `The guest did not greet: ${text}`, false));
  });
  container.exited.then(exited, lost);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();

  return {
    greeted: greeted.promise,
    stop() {
      watching = false;
      clearTimeout(greeting);
      clearTimeout(deadline);
      signal.removeEventListener('abort', cancel);
    },
  };
}

function exitText(exit: GuestExit): string {
  return exit.code === null ? 'no exit code' : `exit code ${exit.code}`;
}

/** Node aborts (SIGABRT: 134) when its heap is full, and says so on its log. */
function outOfHeap(exit: GuestExit, log: string): boolean {
  return exit.code === 134 && /heap limit|out of memory/i.test(log);
}
