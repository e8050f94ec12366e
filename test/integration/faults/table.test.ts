/**
 * Everybody who takes part in a qualification dies, at every phase of it. Nothing is ever qualified that was not, the
 * verdict file is as it was or new and whole, and the next run finds nothing in its way and leaves nothing behind.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { QualifyResult } from '../../../shared/src/results.ts';
import { startLoadline } from '../../support/loadline.ts';
import { PHASES, type PhaseName } from './phases.ts';
import { childOf, gone, killed, VERDICTS, World } from './world.ts';

/** How the one run of a qualification ended, as whoever asked for it was told. */
interface Told {
  run: [verdict: string, reason?: string, mayHaveRun?: boolean];
  /** Whether a verdict file was named. */
  signed: boolean;
  code: number | null;
}

/** Somebody who asks for qualifications: the command line. */
interface Asker {
  name: string;
  /** Asks for the scenario `nominal`, signed. `told` resolves with null where the asker died first. */
  start(world: World): { pid: number; told: Promise<Told | null> };
}

const SCENARIO = ['--scenario', 'nominal', '--jobs', '1'];

const COMMAND_LINE: Asker = {
  name: 'the command line',
  start({ gate, folder, env }) {
    const args = ['qualify', '--json', ...SCENARIO, '--host', gate.host, 'adapter.js'];
    const { child, finished } = startLoadline(args, { cwd: folder, env });
    const told = finished.then(({ code, stdout }) => {
      if (stdout === '') return null;
      const { adapters }: QualifyResult = JSON.parse(stdout);
      const [{ verdict, reason, mayHaveRun } = { verdict: 'none' }] = adapters[0]?.runs ?? [];
      const run: Told['run'] =
        reason === undefined || mayHaveRun === undefined ? [verdict] : [verdict, reason, mayHaveRun];
      return { run, signed: adapters[0]?.verdictFile === VERDICTS, code };
    });
    return { pid: child.pid ?? 0, told };
  },
};

interface End {
  /** More than one: what the moment leaves open. null: nobody is left to be told. */
  told: (Told | null)[];
  file: 'as it was' | 'new';
}

function notRun(reason: string, mayHaveRun: boolean): End {
  return { told: [{ run: ['not_run', reason, mayHaveRun], signed: false, code: 2 }], file: 'as it was' };
}

const RUNNER_DIED = notRun('runner', true);
const NOTHING_RAN = notRun('engine', false);
const MAY_HAVE_RUN = notRun('engine', true);
/** Its result may have arrived before its runner died; it is told, and nothing is signed. */
const JUST_ENDED: End = {
  told: [...RUNNER_DIED.told, { run: ['qualified'], signed: false, code: 2 }],
  file: 'as it was',
};
const QUALIFIED: End = { told: [{ run: ['qualified'], signed: true, code: 0 }], file: 'new' };
const NOT_SIGNED: End = { told: [{ run: ['qualified'], signed: false, code: 2 }], file: 'as it was' };
/** The new file stands there, but nobody said so. */
const SIGNED_UNSAID: End = { ...NOT_SIGNED, file: 'new' };
const NOBODY_LEFT: End = { told: [null], file: 'as it was' };
/** What was being written is written to its end. */
const NOBODY_LEFT_BUT_SIGNED: End = { told: [null], file: 'new' };

type Victim = 'runner' | 'asker' | 'engine' | 'container' | 'signer';

/** null: there is no such process then. */
const TABLE: Record<PhaseName, Record<Victim, End | null>> = {
  'the image is looked for': {
    ...{ runner: RUNNER_DIED, asker: NOBODY_LEFT, engine: NOTHING_RAN, container: null, signer: NOT_SIGNED },
  },
  preflight: {
    ...{ runner: RUNNER_DIED, asker: NOBODY_LEFT, engine: NOTHING_RAN, container: null, signer: NOT_SIGNED },
  },
  'container created': {
    ...{ runner: RUNNER_DIED, asker: NOBODY_LEFT, engine: NOTHING_RAN, container: null, signer: NOT_SIGNED },
  },
  'container started': {
    ...{ runner: RUNNER_DIED, asker: NOBODY_LEFT, engine: NOTHING_RAN },
    ...{ container: NOTHING_RAN, signer: NOT_SIGNED },
  },
  'adapter loaded': {
    ...{ runner: RUNNER_DIED, asker: NOBODY_LEFT, engine: MAY_HAVE_RUN },
    ...{ container: MAY_HAVE_RUN, signer: NOT_SIGNED },
  },
  'mid-step': {
    ...{ runner: RUNNER_DIED, asker: NOBODY_LEFT, engine: MAY_HAVE_RUN },
    ...{ container: MAY_HAVE_RUN, signer: NOT_SIGNED },
  },
  'between steps': {
    ...{ runner: RUNNER_DIED, asker: NOBODY_LEFT, engine: MAY_HAVE_RUN },
    ...{ container: MAY_HAVE_RUN, signer: NOT_SIGNED },
  },
  judged: {
    // The guest has ended by itself.
    ...{ runner: JUST_ENDED, asker: NOBODY_LEFT, engine: QUALIFIED, container: null, signer: NOT_SIGNED },
  },
  signing: {
    ...{ runner: QUALIFIED, asker: NOBODY_LEFT_BUT_SIGNED, engine: QUALIFIED },
    ...{ container: null, signer: NOT_SIGNED },
  },
  'verdict file written': {
    ...{ runner: QUALIFIED, asker: NOBODY_LEFT_BUT_SIGNED, engine: QUALIFIED },
    ...{ container: null, signer: SIGNED_UNSAID },
  },
};

const world = new World();
beforeAll(async () => {
  await world.open();
  expect(await nextRun()).toBe(0);
});
afterAll(() => world.close());

async function nextRun(): Promise<number | null> {
  return (await world.loadline('qualify', ...SCENARIO, '--host', world.gate.host, 'adapter.js')).code;
}

function sequence(): number {
  const [checkpoint = ''] = readFileSync(world.verdicts, 'utf8').trimEnd().split('\n').slice(-1);
  return JSON.parse(checkpoint).statement.predicate.sequence;
}

async function kill(victim: Victim, asker: number): Promise<void> {
  switch (victim) {
    case 'runner':
      return killed(childOf(asker, 'runner.js'));
    case 'signer':
      return killed(childOf(asker, 'signer.js'));
    case 'asker':
      return killed(asker);
    case 'engine':
      return world.daemon.stop('SIGKILL');
    case 'container':
      return killed(await world.guestPid());
  }
}

function cells(): [phase: (typeof PHASES)[number], victim: Victim, end: End][] {
  return PHASES.flatMap((phase) =>
    Object.entries(TABLE[phase.name]).flatMap(
      ([victim, end]): ReturnType<typeof cells> => (end === null ? [] : [[phase, victim as Victim, end]]),
    ),
  );
}

describe.each([COMMAND_LINE])('asked by $name', (asker) => {
  test.each(cells().map(([phase, victim, end]) => [phase.name, victim, phase, end] as const))(
    '%s: the %s is killed',
    async (_name, victim, phase, end) => {
      const [before, number] = [readFileSync(world.verdicts), sequence()];
      const held = phase.hold(world);
      const { pid, told } = asker.start(world);
      await Promise.race([
        held.reached,
        told.then((early) => {
          throw new Error(`it ended before that phase: ${JSON.stringify(early)}`);
        }),
      ]);
      const helpers = [childOf(pid, 'runner.js'), childOf(pid, 'signer.js')];
      await kill(victim, pid);
      held.release(victim !== 'engine');
      const seen = await told;
      for (const helper of helpers) await gone(helper);

      expect(end.told).toContainEqual(seen);
      if (end.file === 'as it was') expect(readFileSync(world.verdicts)).toEqual(before);
      else expect(sequence()).toBe(number + 1);
      expect((await world.loadline('verify', '--partial', VERDICTS)).code).toBe(0);

      if (victim === 'engine') (await world.daemon.start()).close();
      expect(await nextRun()).toBe(0);
      expect(sequence()).toBe(number + (end.file === 'new' ? 2 : 1));
      expect(await world.containers()).toEqual([]);
      expect(world.files()).toEqual([
        ...['adapter.js', VERDICTS, 'fleet.grant'],
        ...['key.heads.json', 'key.jwk', 'key.known.jwk', 'loadline.json', 'vendor.openapi.yaml'],
      ]);
    },
  );
});
