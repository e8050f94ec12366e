/**
 * Runs against what the engine alone costs: a bare `docker run` of an empty script in the same image, and as many empty
 * containers as a qualification has runs, made and removed the same way as ours.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { RunnerProcess } from '../../server/src/runs/runnerProcess.ts';
import { loadProject } from '../../server/src/workspace/project.ts';
import type { QualifyAnswer, QualifyParams } from '../../shared/src/runnerProtocol.ts';

const ROOT = process.cwd();
const EXAMPLE = join(ROOT, 'examples/fleet');
const ROUNDS = 5;
const TRIALS = 600;

interface Row {
  what: string;
  ours: number;
  /** null: it is measured against nothing. */
  other: number | null;
  ratio: number | null;
  unit: string;
}

let requests = 0;

export async function bench(): Promise<{ title: string; rows: Row[]; notes: string[] }> {
  const params = await exampleParams();
  const runner = new RunnerProcess(join(ROOT, 'dist/runner.js'));
  const warm = { ...params, sandbox: { keepWarm: true } };
  try {
    const { engine } = await qualified(runner, params);
    if (engine === null) throw new Error('Nothing could run.');
    const bare = await medianOf(() => bareRun(engine.imageId));
    const empty = await medianOf(() => emptyContainers(engine.imageId, 16), 3);
    const cold = await medianOf(() => coldQualification(params), 3);
    const whole = await medianOf(() => qualified(runner, params), 3);
    const one = { ...warm, scenarios: ['nominal'] };
    await qualified(runner, one);
    const click = await medianOf(() => qualified(runner, one));
    const coldOne = await medianOf(() => coldQualification({ ...params, scenarios: ['nominal'] }), 3);
    const gvisor = await medianOf(() => qualified(runner, { ...params, sandbox: { runtime: 'runsc' } }), 3);
    const rows = [
      row('sixteen scenarios, cold, against sixteen empty containers', cold, empty),
      row('sixteen scenarios, warm, against the same', whole, empty),
      row('one scenario, warm, against a bare `docker run`', click, bare),
      row('one scenario, cold, against the same', coldOne, bare),
      row('sixteen scenarios under gVisor, against under runc', gvisor, whole),
      await trialsRow(runner, params),
      ...(await growth(runner, params)),
    ];
    return {
      title: 'Runs',
      rows,
      notes: [
        'Cold: a new runner process, which connects, looks at the image and asks preflight’s record. Warm: the same runner, and an unused container waits.',
        'Empty containers: one after another, created, started, waited for and removed by the `docker` client.',
        'Trials: single faults of adapter-v3, over lanes of shared containers.',
      ],
    };
  } finally {
    await runner.stop();
  }
}

async function exampleParams(): Promise<QualifyParams> {
  const path = join(EXAMPLE, 'adapter-v3.js');
  const { surface } = await loadProject(path);
  if (surface === null) throw new Error('The fleet example has no surface.');
  return {
    ...{ run: '', surface, contract: 'fleet/1', vendor: 'simulated:fleet', scenarios: [], clock: 'virtual' },
    ...{ adapter: { kind: 'file', folder: EXAMPLE, path }, sandbox: {}, seed: 7 },
  };
}

/** Only a qualification that holds counts as a measurement. */
async function qualified(runner: RunnerProcess, params: QualifyParams): Promise<QualifyAnswer> {
  requests += 1;
  const answer = await runner.qualify({ ...params, run: `bench-${requests}` }, {});
  const broken = answer.result.runs.find(({ verdict }) => verdict !== 'qualified');
  if (broken) throw new Error(`${broken.scenario}: ${broken.message ?? broken.verdict}`);
  return answer;
}

async function coldQualification(params: QualifyParams): Promise<void> {
  const runner = new RunnerProcess(join(ROOT, 'dist/runner.js'));
  try {
    await qualified(runner, params);
  } finally {
    await runner.stop();
  }
}

const FLAGS = [
  '--network',
  'none',
  '--read-only',
  '--cap-drop',
  'ALL',
  '--memory',
  '256m',
  '--entrypoint',
  'node',
];

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8' }).trim();
}

async function bareRun(image: string): Promise<void> {
  docker('run', '--rm', ...FLAGS, image, '-e', '0');
}

async function emptyContainers(image: string, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) docker('run', '--rm', ...FLAGS, image, '-e', '0');
}

async function trialsRow(runner: RunnerProcess, params: QualifyParams): Promise<Row> {
  const { scenarios: _, ...rest } = params;
  const started = performance.now();
  const asked = { ...rest, run: 'bench-trials', faults: 1, budgetMs: 120_000, trials: TRIALS } as const;
  const { trials } = await runner.explore(asked, {});
  return alone('trials of an exploration', (trials * 1000) / (performance.now() - started), 'a second');
}

/** The same adapter again and again, as a folder of adapters would be run. */
async function growth(runner: RunnerProcess, params: QualifyParams): Promise<Row[]> {
  const one = { ...params, scenarios: ['nominal', 'lost_answer'] };
  const rows: Row[] = [];
  let first = 0;
  for (const count of [1, 10, 100]) {
    const started = performance.now();
    for (let done = 0; done < count; done += 1) await qualified(runner, one);
    const each = (performance.now() - started) / count;
    first ||= each;
    rows.push(row(`two scenarios of each of ${count} adapters, for each, against the first`, each, first));
    const memory =
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(runner.pid)], { encoding: 'utf8' })) / 1024;
    rows.push(alone(`memory of the runner after ${count} adapters`, memory, 'MB'));
  }
  return rows;
}

async function medianOf(work: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? Number.NaN;
}

function row(what: string, ours: number, other: number): Row {
  return { what, ours, other, ratio: ours / other, unit: 'ms' };
}

function alone(what: string, ours: number, unit: string): Row {
  return { what, ours, other: null, ratio: null, unit };
}
