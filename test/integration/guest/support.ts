/** Runs adapters in real containers against a small host of the test's own: a clock, a list of answers, no broker. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { VirtualClock } from '../../../server/src/runner/clock.ts';
import type { GuestExit } from '../../../server/src/sandbox/container.ts';
import { openGuestChannel, type Violation } from '../../../server/src/sandbox/guestChannel.ts';
import { openSandbox, type Sandbox } from '../../../server/src/sandbox/sandbox.ts';
import {
  type CallParams,
  type CallResult,
  LIMITS,
  type LoadParams,
  type LoadResult,
  type SettledParams,
} from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const EPOCH = Date.UTC(2026, 0, 2, 3, 4, 5);

/** `get(path, options?)`, `post(path, body)`, `raw(request)` and `refuse(text)`: as small as a client script can be. */
const CLIENT = `(invoke, fail) => Object.freeze({
  get: (target, options = {}) => invoke({ method: 'GET', target, headers: {}, signal: options.signal }),
  post: (target, body) => invoke({ method: 'POST', target, headers: {}, body, contentType: 'application/json' }),
  raw: (request) => invoke(request),
  refuse: (text) => Promise.reject(fail(text)),
})`;

export async function openTestSandbox(options: { runtime?: string } = {}): Promise<Sandbox> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['sandbox-images/guest/main.ts'],
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    write: false,
  });
  const guestScript = Buffer.from(outputFiles[0]?.contents ?? []);
  return openSandbox({
    guestScript,
    imagesFolder: `${root}sandbox-images`,
    owner: 'guest-tests',
    ...options,
  });
}

export interface Answer {
  result: CallResult;
  /** When it is due, ms after the call. Default 20. */
  afterMs?: number;
}

export interface GuestRun {
  adapter: string;
  /** Each: invocations started together. */
  steps?: { export: string; args?: Json[] }[][];
  /** Default: `{}` with status 200. */
  answer?: (call: CallParams, index: number) => Answer;
  clock?: 'virtual' | 'real';
  load?: Partial<LoadParams>;
  /** Kills the guest after this many ms of real time. */
  deadlineMs?: number;
  runId?: string;
}

export interface GuestOutcome {
  load: LoadResult | undefined;
  settled: SettledParams[];
  calls: CallParams[];
  /** Virtual time at the end. */
  now: number;
  end: 'complete' | 'hang' | 'violation' | 'exited' | 'deadline';
  violation?: Violation;
  exit?: GuestExit;
  log: string;
  logTruncated: boolean;
  /** Everything the guest wrote on stdout. */
  bytes: string;
}

export const ok = (body: Json, afterMs = 20): Answer => ({
  result: { ok: true, status: 200, body },
  afterMs,
});

export async function runGuest(sandbox: Sandbox, run: GuestRun): Promise<GuestOutcome> {
  const container = await sandbox.start(run.runId ?? 'guest-test');
  const clock = new VirtualClock(EPOCH);
  const isVirtual = run.clock !== 'real';
  const settled: SettledParams[] = [];
  const calls: CallParams[] = [];
  const chunks: Buffer[] = [];
  let hang: () => void = () => undefined;
  const hanging = new Promise<'hang'>((resolve) => {
    hang = () => resolve('hang');
  });
  container.stdout.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
  const channel = openGuestChannel({
    ...{ stdin: container.stdin, stdout: container.stdout, stderr: container.stderr },
    handlers: {
      call(params) {
        calls.push(params);
        const { result, afterMs = 20 } = run.answer?.(params, calls.length - 1) ?? ok({});
        if (!isVirtual) return new Promise((resolve) => setTimeout(() => resolve(result), afterMs));
        clock.moveTo(params.at);
        return new Promise((resolve) => clock.at(clock.now() + afterMs, () => resolve(result)));
      },
      async advance({ timer, turns }) {
        if ((timer === null && clock.next() === null) || turns > LIMITS.timerTurns) hang();
        await clock.advance(timer);
        await new Promise((resolve) => setImmediate(resolve));
        return { now: clock.now(), until: clock.next() ?? LIMITS.virtualMs };
      },
      settled(params) {
        clock.moveTo(params.at);
        settled.push(params);
      },
    },
  });
  const outcome: Partial<GuestOutcome> = {};
  const walk = async (): Promise<'complete'> => {
    await channel.hello;
    outcome.load = await channel.load({
      ...{ adapter: run.adapter, fileName: 'adapter.js', client: CLIENT, clientName: 'fleet' },
      ...{ exports: ['run'], clock: run.clock ?? 'virtual', epoch: EPOCH, random: 7, ...run.load },
    });
    if (!outcome.load.loaded) return 'complete';
    for (const [step, invocations] of (run.steps ?? [[{ export: 'run' }]]).entries()) {
      await channel.step({
        step,
        invocations: invocations.map(({ export: name, args = [] }) => ({ export: name, args })),
      });
    }
    return 'complete';
  };
  let timer: NodeJS.Timeout | undefined;
  const walking = walk();
  walking.catch(() => undefined);
  const end = await Promise.race([
    walking,
    hanging,
    channel.violation.then((violation) => {
      outcome.violation = violation;
      return 'violation' as const;
    }),
    Promise.all([container.exited, channel.ended]).then(([exit]) => {
      outcome.exit = exit;
      return 'exited' as const;
    }),
    new Promise<'deadline'>((resolve) => {
      timer = setTimeout(() => resolve('deadline'), run.deadlineMs ?? 20_000);
    }),
    channel.failure.then((error) => Promise.reject(error)),
  ]);
  clearTimeout(timer);
  const { text, truncated } = channel.log();
  channel.close();
  sandbox.discard(container);
  return {
    load: outcome.load,
    ...outcome,
    ...{ settled, calls, now: clock.now(), end, log: text, logTruncated: truncated },
    bytes: Buffer.concat(chunks).toString('utf8'),
  };
}

/** The value that the only invocation of step `step` returned; anything else fails the test. */
export function returned(outcome: GuestOutcome, step = 0): Json {
  const result = outcome.settled.find((item) => item.step === step)?.result;
  if (result?.kind !== 'returned') {
    throw new Error(`Step ${step} gave ${JSON.stringify(result)} (${outcome.end})\n${outcome.log}`);
  }
  return result.value;
}
