/** Watches one guest: what ends a run other than its last step. */
import type { ClockKind } from '../../../shared/src/results.ts';
import { SIGKILLED } from '../sandbox/container.ts';
import type { GuestChannel } from '../sandbox/guestChannel.ts';
import type { GuestContainer, GuestExit } from '../sandbox/sandbox.ts';
import { type Conductor, Interrupted } from './conductor.ts';
import { deferred } from './deferred.ts';

const GREETING_MS = 15_000;
/** Wall time of a run from the greeting on: an engine that is slow to start it is not the adapter's. */
const DEADLINE_MS = { virtual: 20_000, real: 300_000 } as const;

/**
 * The first process of a container cannot be killed from inside it, so this was done to it. A guest that only says so by
 * its exit code gains nothing: there is no verdict.
 */
const KILLED =
  'The guest was killed from outside of its container in the middle of the run; see what stops containers on this engine, and run again.';

const KILLED_OR_OUT_OF_MEMORY =
  'The guest was killed in the middle of the run: it used more memory than the sandbox gives it (256 MiB), or something stopped it from outside; this Podman does not tell which. Run it on Docker to see.';

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
  const { container, channel, signal } = parts;
  const greeted = deferred<void>();
  // The guest may outlive the run; what waits for its end must not keep the run's evidence.
  let conductor: Conductor | null = parts.conductor;
  let began = false;

  const interrupt = (error: Interrupted) => {
    greeted.reject(error);
    conductor?.interrupt(error);
  };
  const cancel = () => interrupt(new Interrupted('cancelled', 'The run was cancelled.', began));
  const exited = (exit: GuestExit) => {
    if (conductor === null) return;
    if (!began)
      interrupt(new Interrupted('engine', `The guest ended before it greeted (${exitText(exit)}).`, false));
    else if (exit.code === null)
      interrupt(new Interrupted('engine', 'The container was removed in the middle of the run.', true));
    else if (exit.oomKilled || outOfHeap(exit, channel.log().text))
      conductor.break('memory', 'The adapter used more memory than the sandbox gives it (256 MiB).');
    else if (exit.code === SIGKILLED)
      interrupt(new Interrupted('engine', exit.oomKilled === null ? KILLED_OR_OUT_OF_MEMORY : KILLED, true));
    else conductor.break('guest-died', `The guest ended in the middle of the run (${exitText(exit)}).`);
  };
  const lost = (error: Error) => {
    interrupt(new Interrupted('engine', `The engine was lost during the run: ${error.message}`, began));
  };

  const greeting = setTimeout(
    () => interrupt(new Interrupted('engine', 'The guest did not greet within 15 seconds.', false)),
    GREETING_MS,
  );
  const deadlineMs = DEADLINE_MS[parts.clock];
  let deadline: NodeJS.Timeout | undefined;
  channel.hello.then(
    () => {
      if (conductor === null) return;
      began = true;
      clearTimeout(greeting);
      deadline = setTimeout(
        () =>
          conductor?.break(
            'deadline',
            `The run did not end within ${deadlineMs / 1000} seconds of real time.`,
          ),
        deadlineMs,
      );
      greeted.resolve();
    },
    () => undefined,
  );
  channel.violation.then(({ text }) => {
    if (began) conductor?.break('protocol', text);
    else interrupt(new Interrupted('engine', `The guest did not greet: ${text}`, false));
  });
  channel.failure.then((error) =>
    interrupt(new Interrupted('runner', `The runner failed at a call of the guest: ${error.message}`, true)),
  );
  container.exited.then(exited, lost);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();

  return {
    greeted: greeted.promise,
    stop() {
      conductor = null;
      clearTimeout(greeting);
      clearTimeout(deadline);
      signal.removeEventListener('abort', cancel);
    },
  };
}

function exitText(exit: GuestExit): string {
  return exit.code === null ? 'its container is gone' : `exit code ${exit.code}`;
}

/** Node dies of a full heap by SIGABRT (134, gVisor) or SIGSEGV (139, runc), and says so on its log. */
function outOfHeap(exit: GuestExit, log: string): boolean {
  return (exit.code === 134 || exit.code === 139) && /heap limit|out of memory/i.test(log);
}
