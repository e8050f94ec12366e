/** Trials: many runs in few containers give what fresh containers give. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunnerProcess } from '../../../server/src/runs/runnerProcess.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import type { Evidence } from '../../../shared/src/evidence/evidence.ts';
import type { QualifyParams, TrialsAnswer, TrialsParams } from '../../../shared/src/runnerProtocol.ts';
import { containersLeft } from '../../support/loadline.ts';
import { adapterText, draft, exampleParams, runnerScript } from '../../support/runner.ts';

const SCENARIOS = contractById('fleet/1')?.scenarios.map((scenario) => scenario.id) ?? [];

type Asked = TrialsParams['trials'];

const allOf = (...seeds: number[]): Asked =>
  seeds.flatMap((seed) => SCENARIOS.map((scenario) => ({ scenario, seed })));

const runner = new RunnerProcess(runnerScript);
let base: QualifyParams;
let requests = 0;

beforeAll(async () => {
  base = await exampleParams('adapter-v3.js');
});
afterAll(async () => {
  await runner.stop();
  expect(await containersLeft()).toEqual([]);
});

function askedParams(text: string, trials: Asked, more: Partial<TrialsParams> = {}): TrialsParams {
  requests += 1;
  const { surface, contract, vendor, clock, sandbox } = base;
  const run = `trials-${requests}`;
  return { run, surface, contract, vendor, clock, sandbox, adapter: draft(text), trials, ...more };
}

function trialsOf(text: string, trials: Asked, more: Partial<TrialsParams> = {}): Promise<TrialsAnswer> {
  return runner.trials(askedParams(text, trials, more), {});
}

interface Fresh {
  broken: string[];
  evidence: Evidence | undefined;
}

/** The same, each run in a container of its own. */
async function freshRuns(text: string, asked: Asked): Promise<Fresh[]> {
  const found = new Map<string, Fresh>();
  for (const seed of new Set(asked.map((item) => item.seed))) {
    requests += 1;
    const scenarios = asked.filter((item) => item.seed === seed).map((item) => item.scenario);
    const params = { ...base, run: `fresh-${requests}`, adapter: draft(text), scenarios, seed };
    const { result } = await runner.qualify(params, {});
    for (const { scenario, rules, evidence } of result.runs) {
      const broken = rules.filter((rule) => !rule.held).map((rule) => rule.id);
      found.set(`${scenario} ${seed}`, { broken, evidence });
    }
  }
  return asked.flatMap(({ scenario, seed }) => found.get(`${scenario} ${seed}`) ?? []);
}

/** `text` with `instead` in the place of `part`, which it holds once. */
function edited(text: string, part: string, instead: string): string {
  expect(text.split(part)).toHaveLength(2);
  return text.replace(part, () => instead);
}

const V3 = adapterText('adapter-v3.js');
const INVENTORY = '  async inventory() {\n';

test('adapter-v3 holds every rule in all sixteen scenarios under two hundred seeds', async () => {
  const asked = allOf(...Array.from({ length: 200 }, (_, index) => index + 1));
  const told = new Set<number>();
  const answer = await runner.trials(askedParams(V3, asked, { jobs: 2 }), {
    trial: ({ index }) => told.add(index),
  });
  expect(answer.trials.filter((trial) => trial.verdict !== 'qualified')).toEqual([]);
  expect(answer.trials.map(({ scenario, seed }) => ({ scenario, seed }))).toEqual(asked);
  expect([answer.trials.length, told.size]).toEqual([3200, 3200]);
  // 400 trials to a container; what was begun on other lanes when it was full makes a container more.
  expect([8, 9, 10]).toContain(answer.containers);
  expect(await containersLeft(undefined, runner.pid)).toEqual([]);
}, 1_800_000);

test.each([
  'adapter-v1.js',
  'adapter-v2.js',
  'broken/adapter-hangs.js',
  'broken/adapter-remembers-inventory.js',
])('%s breaks in trials the rules that it breaks in fresh containers', async (name) => {
  const asked = allOf(7, 8);
  const text = adapterText(name);
  const answer = await trialsOf(text, asked);
  const fresh = await freshRuns(text, asked);
  expect(fresh).toHaveLength(32);
  expect(answer.trials.map(({ broken }) => broken)).toEqual(fresh.map(({ broken }) => broken));
  expect(answer.trials.some(({ broken }) => broken.length > 0)).toBe(true);
});

describe('each trial has a realm of its own', () => {
  test('state of the module, of globals and of prototypes is as new', async () => {
    const spoil = `let loads = 0;
      loads += 1;
      if (loads > 1 || globalThis.seen || [].seen || Math.random.seen || performance.now() > 0) throw new Error('seen');
      globalThis.seen = Array.prototype.seen = Math.random.seen = true;
      Object.defineProperty(Array.prototype, 'seen', { enumerable: false });
      let inventories = 0;\n${V3}`;
    const text = edited(
      spoil,
      INVENTORY,
      `${INVENTORY}    inventories += 1;\n    console.log(inventories);\n`,
    );
    const answer = await trialsOf(text, allOf(1, 2), { jobs: 1, lanes: 1 });
    expect(answer.trials.filter(({ broken }) => broken.length > 0)).toEqual([]);
    expect([answer.trials.length, answer.containers]).toEqual([32, 1]);
  });

  test('memory that a trial held is given back: a container of 128 MiB of heap takes 40 trials of 20 MB', async () => {
    const text = edited(
      `const held = new Array(2_500_000).fill(1.5);\nglobalThis.held = held;\n${V3}`,
      INVENTORY,
      `${INVENTORY}    setInterval(() => held.length, 1e6);\n    fleet.listRobots().then(() => held.length);\n`,
    );
    const asked = Array.from({ length: 40 }, (_, index) => ({ scenario: 'nominal', seed: index + 1 }));
    const answer = await trialsOf(text, asked, { jobs: 1, lanes: 1 });
    expect(answer.trials.filter(({ broken }) => broken.length > 0)).toEqual([]);
    expect([answer.trials.length, answer.containers]).toEqual([40, 1]);
  });

  test('what a trial left under way is gone: the next one gives byte-equal evidence to a fresh container', async () => {
    const flood = `
    for (let call = 0; call < 40; call += 1) fleet.listRobots().catch(() => {});
    for (let timer = 0; timer < 500; timer += 1) setInterval(() => fleet.listRobots().catch(() => {}), 60_000 + timer);
    new Promise(() => setTimeout(() => fleet.cancelMission('none'), 5));
    console.log('x'.repeat(200));\n`;
    const text = edited(V3, INVENTORY, INVENTORY + flood);
    const asked = allOf(7);
    const fresh = await freshRuns(text, asked);
    for (const lanes of [1, 8]) {
      const answer = await trialsOf(text, asked, { jobs: 1, lanes, evidence: true });
      expect(answer.trials.map(({ evidence }) => JSON.stringify(evidence))).toEqual(
        fresh.map(({ evidence }) => JSON.stringify(evidence)),
      );
      expect(answer.containers).toBe(1);
    }
  });
});

describe('a trial that does not end as it should costs its container, not the next trial', () => {
  const asked: Asked = ['nominal', 'refused_order', 'lost_answer', 'throttled'].map((scenario) => ({
    scenario,
    seed: 7,
  }));
  test.each([
    // The host sees that it waits for nothing: the container is as good as before.
    ['waits for nothing', 'await new Promise(() => {});', 1],
    ['works for ever', 'for (;;);', 2],
    ['uses all memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));', 2],
  ])('one that %s', async (_name, fate, containers) => {
    const text = spoilt(fate);
    const answer = await trialsOf(text, asked, { jobs: 1, lanes: 1, evidence: true });
    const fresh = await freshRuns(V3, asked);
    expect(answer.containers).toBe(containers);
    const verdicts = answer.trials.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['qualified', 'failed', 'qualified', 'qualified']);
    expect(answer.trials[1]?.broken).toContain('ran_to_the_end');
    for (const index of [2, 3])
      expect(answer.trials[index]?.evidence?.ledger).toEqual(fresh[index]?.evidence?.ledger);
  });
});

/** adapter-v3, to which something happens after an order that was refused. */
function spoilt(fate: string): string {
  return `${V3}
    const { dispatch } = module.exports;
    module.exports.dispatch = async (...args) => {
      try {
        return await dispatch(...args);
      } catch (error) {
        if (error.code === 'refused') { ${fate} }
        throw error;
      }
    };`;
}

test('trials beside one that ends their container are tried again alone, and break nothing', async () => {
  const asked = allOf(7);
  const answer = await trialsOf(spoilt('for (;;);'), asked, { jobs: 1, lanes: 16, evidence: true });
  const fresh = await freshRuns(V3, asked);
  const failed = answer.trials.filter(({ verdict }) => verdict !== 'qualified');
  expect(failed.map(({ scenario, broken }) => [scenario, broken.includes('ran_to_the_end')])).toEqual([
    ['refused_order', true],
  ]);
  for (const [index, { scenario, evidence }] of answer.trials.entries())
    if (scenario !== 'refused_order') expect(evidence?.ledger).toEqual(fresh[index]?.evidence?.ledger);
  expect(await containersLeft(undefined, runner.pid)).toEqual([]);
});

test('an adapter that does not load costs one container, and every trial fails with that reason', async () => {
  const answer = await trialsOf("throw new Error('no');", allOf(1), { jobs: 1, evidence: true });
  expect(answer.containers).toBe(1);
  expect(answer.trials.map(({ broken }) => broken)).toEqual(Array(16).fill(['ran_to_the_end']));
  const ends = answer.trials.map(({ evidence }) => evidence?.end.kind === 'broken' && evidence.end.reason);
  expect(ends).toEqual(Array(16).fill('load'));
});

test('trials can be cancelled: what was over keeps its verdict, nothing else is judged, no container is left', async () => {
  const params = askedParams(V3, allOf(1, 2, 3, 4, 5), { jobs: 2 });
  let ended = 0;
  const answer = await runner.trials(params, {
    trial: () => {
      ended += 1;
      if (ended === 10) runner.cancel(params.run);
    },
  });
  const { trials } = answer;
  const over = trials.filter((trial) => trial.verdict === 'qualified');
  const rest = trials.filter((trial) => trial.verdict !== 'qualified');
  expect([trials.length, over.length >= 10, over.length < 80]).toEqual([80, true, true]);
  expect(new Set(rest.map(({ verdict, reason }) => `${verdict} ${reason}`))).toEqual(
    new Set(['not_run cancelled']),
  );
  expect(await containersLeft(undefined, runner.pid)).toEqual([]);
});

test('where nothing can run, every trial says why', async () => {
  const answer = await trialsOf(V3, allOf(1), { contract: 'fleet/9' });
  const refused = { verdict: 'not_run', broken: [], reason: 'adapter', mayHaveRun: false };
  const message = 'The contract fleet/9 is not known to this version.';
  expect(answer).toEqual({
    engine: null,
    sha256: '',
    containers: 0,
    trials: allOf(1).map((asked) => ({ ...asked, ...refused, message })),
  });
});
