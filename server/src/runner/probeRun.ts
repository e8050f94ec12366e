/** One container of the probe, driven like any run: the same sandbox, channel, conductor and broker. */
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
import { Conductor } from './conductor.ts';
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
  args?: Json[];
}

export interface ProbeRunOutcome {
  end: RunEnd;
  /** What the container returned from its one step; undefined: it never did. */
  value: Json | undefined;
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
  const { sandbox, runId, load, args = [] } = options;
  const clock = new RealClock();
  const grantDigest = surface.digests.grant;
  const credential = await authority.mint({ subject: runId, audience: surface.title, grantDigest, clock });
  const { authorization } = credential;
  const broker = createBrokerSession({ surface, vendor, clock, authorization });
  const book = { handle: vendor.handle, ledger: () => [], settle: () => undefined, record: noRecord };
  const conductor = new Conductor({ contract: oneStep(args), plan, clock, broker, vendor: book });
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
    const end = await conductor.conduct(
      channel,
      {
        ...load,
        ...{ fileName: 'probe.js', clientName: surface.client, exports: ['probe'] },
        ...{ clock: 'real', epoch: clock.epoch, random: 1 },
      },
      () => undefined,
    );
    if (end.kind === 'broken' && /^(memory|guest-died)$/.test(end.reason)) await withinTime(container.exited);
    await conductor.callsRegistered();
    const result = conductor.steps[0]?.result;
    const value = result?.kind === 'returned' ? result.value : undefined;
    const secret = authorization.replace('Bearer ', '');
    const leaked = Buffer.concat(history).includes(secret);
    return {
      ...{ end, value, exit, leaked },
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

const plan = { seed: 0, scenario: 'probe', world: null, faults: [] };

/** A walk of one step with one invocation. */
function oneStep(args: Json[]) {
  const step = { index: 0, invocations: [{ export: 'probe', args, about: null }] };
  return {
    start: () => ({ state: null, effects: [{ kind: 'callGuest' as const, step }] }),
    next: () => ({ state: null, effects: [{ kind: 'done' as const }] }),
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
