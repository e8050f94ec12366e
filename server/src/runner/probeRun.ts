/** One container of the probe, driven like any run: the same sandbox, channel, conductor and broker. */
import type { Turn } from '../../../shared/src/contracts/contract.ts';
import type { RunEnd, TraceRow } from '../../../shared/src/evidence/evidence.ts';
import type { LoadParams } from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { Authority } from '../broker/credential.ts';
import type { HttpVendor } from '../broker/httpVendor.ts';
import { createBrokerSession } from '../broker/session.ts';
import { openGuestChannel } from '../sandbox/guestChannel.ts';
import type { GuestExit, Sandbox } from '../sandbox/sandbox.ts';
import { RealClock } from './clock.ts';
import { Conductor, type ConductorParts } from './conductor.ts';
import { watchGuest } from './watch.ts';

export interface ProbeRunParts {
  surface: Surface;
  vendor: HttpVendor;
  authority: Authority;
  signal: AbortSignal;
}

export interface ProbeRunOptions {
  sandbox: Sandbox;
  runId: string;
  load: Pick<LoadParams, 'adapter' | 'client'>;
  walk: ProbeWalk;
}

/**
 * The arguments of the next step, or null: it was the last. `answer`: what the step before it returned; undefined for the
 * first step, and where a step threw.
 */
export type ProbeWalk = (answer: Json | undefined) => Json[] | null;

export interface ProbeRunOutcome {
  end: RunEnd;
  trace: readonly TraceRow[];
  /** null: it was still running when the step was over. */
  exit: GuestExit | null;
  /** The credential that the broker held for this run, and whether its text went into the container. */
  authorization: string;
  leaked: boolean;
  /** What it logged. */
  log: string;
}

const DEADLINE_MS = 60_000;
/** An exit that follows the end of the output is waited for this long. */
const EXIT_MS = 5_000;

/** Throws Interrupted or NothingRan where it could not be tried. */
export async function probeRun(parts: ProbeRunParts, options: ProbeRunOptions): Promise<ProbeRunOutcome> {
  const { surface, vendor, authority, signal } = parts;
  const { sandbox, runId, load, walk } = options;
  const clock = new RealClock();
  const grantDigest = surface.digests.grant;
  const credential = await authority.mint({ subject: runId, audience: surface.title, grantDigest, clock });
  const { authorization } = credential;
  const broker = createBrokerSession({ surface, vendor, clock, authorization });
  const book = { handle: vendor.handle, ledger: () => [], settle: () => undefined, record: noRecord };
  const conductor = new Conductor({ contract: walked(walk), plan, clock, broker, vendor: book });
  const container = await sandbox.start(runId, signal);
  const { stdin, stdout, stderr } = container;
  const history = tapped(stdin);
  const channel = openGuestChannel({ stdin, stdout, stderr, handlers: conductor.handlers });
  const watch = watchGuest({ container, channel, conductor, clock: 'real', signal });
  const deadline = setTimeout(
    () => conductor.break('deadline', `The probe did not end within ${DEADLINE_MS / 1000} seconds.`),
    DEADLINE_MS,
  );
  let exit: GuestExit | null = null;
  container.exited.then(
    (seen) => {
      exit = seen;
    },
    () => undefined,
  );
  try {
    await watch.greeted;
    const asked = {
      ...load,
      ...{ fileName: 'probe.js', clientName: surface.client, exports: ['probe'] },
      ...{ clock: 'real' as const, epoch: clock.epoch, random: 1 },
    };
    const end = await conductor
      .conduct(channel, asked, () => undefined)
      .catch((error: unknown) => {
        if (exit?.oomKilled !== null) throw error;
        // Killed, and nobody says by what: most likely by what it was asked to try.
        return killed;
      });
    if (end.kind === 'broken' && /^(memory|guest-died)$/.test(end.reason)) await withinTime(container.exited);
    await conductor.callsRegistered();
    const secret = authorization.replace('Bearer ', '');
    const leaked = Buffer.concat(history).includes(secret);
    return {
      ...{ end, exit, leaked },
      ...{ trace: [...broker.trace()], authorization: secret, log: channel.log().text },
    };
  } finally {
    clearTimeout(deadline);
    watch.stop();
    broker.end();
    credential.revoke();
    clock.stop();
    channel.close();
    sandbox.discard(container);
  }
}

const killed: RunEnd = { kind: 'broken', reason: 'guest-died', text: 'The guest was killed.' };

const plan = { seed: 0, scenario: 'probe', world: null, faults: [] };

/** A contract of steps with one invocation each. */
function walked(walk: ProbeWalk): ConductorParts['contract'] {
  const turn = (index: number, args: Json[] | null): Turn<unknown> => ({
    state: index + 1,
    effects: [
      args === null
        ? { kind: 'done' }
        : { kind: 'callGuest', step: { index, invocations: [{ export: 'probe', args, about: null }] } },
    ],
  });
  return {
    start: () => turn(0, walk(undefined)),
    next(state, { results: [result] }) {
      return turn(Number(state), walk(result?.kind === 'returned' ? result.value : undefined));
    },
  };
}

/** A walk of one step, and what it returned; undefined: it never did. */
export function oneStep(): { walk: ProbeWalk; returned(): Json | undefined } {
  let asked = false;
  let value: Json | undefined;
  return {
    walk(answer) {
      value = answer;
      const args = asked ? null : [];
      asked = true;
      return args;
    },
    returned: () => value,
  };
}

/** What the probe's vendor saw is counted at its sockets. */
function noRecord(): never {
  throw new Error('The vendor of a probe keeps no record.');
}

/** Everything that is written to the container from now on. */
function tapped(stdin: NodeJS.WritableStream): Buffer[] {
  const history: Buffer[] = [];
  const write = stdin.write.bind(stdin) as (chunk: Uint8Array | string) => boolean;
  stdin.write = (chunk: Uint8Array | string) => {
    history.push(Buffer.from(chunk as Uint8Array));
    return write(chunk);
  };
  return history;
}

async function withinTime(exited: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, EXIT_MS);
  });
  await Promise.race([exited.catch(() => undefined), late]);
  clearTimeout(timer);
}
