/** Adapters that misbehave: each run ends with its reason, the exit code says so, and nothing is left behind. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { containersLeft, projectFolder, qualifyJson } from '../../support/loadline.ts';

const rest = `
  async dispatch(robotId, target, commandId) {
    const order = await fleet.createMission(robotId, { target, command_id: commandId });
    return order.mission_id;
  },
  async wait(missionId, { maxPolls = 50 } = {}) {
    for (let polls = 1; polls <= maxPolls; polls++) {
      const { status } = await fleet.getMission(missionId);
      if (status !== 'queued' && status !== 'running') return { state: status, polls };
    }
    return { state: 'timeout', polls: maxPolls };
  },
  async cancel(missionId) { await fleet.cancelMission(missionId); },
};`;

const listed = `(await fleet.listRobots()).robots.map(({ id, status, battery }) => ({ id, status, battery }))`;
const adapter = (inventory: string, before = '') =>
  `${before}\nmodule.exports = {\n  async inventory() { ${inventory} },${rest}`;

interface Case {
  text: string;
  /** Rules broken in nominal, with a part of what each says. */
  broken: Record<string, string>;
}

const cases: Record<string, Case> = {
  'a right one, for comparison': { text: adapter(`return ${listed};`), broken: {} },
  'a syntax error': {
    text: 'module.exports = { async inventory( { } };',
    broken: { ran_to_the_end: 'does not load: SyntaxError' },
  },
  ESM: {
    text: 'export async function inventory() { return []; }',
    broken: { ran_to_the_end: 'does not load: SyntaxError' },
  },
  'a throw at load': {
    text: "throw new TypeError('no settings');",
    broken: { ran_to_the_end: 'does not load: TypeError: no settings' },
  },
  'a missing export': {
    text: 'module.exports = { inventory() {}, dispatch() {}, wait() {} };',
    broken: { ran_to_the_end: 'does not export cancel' },
  },
  'require of a module': {
    text: "const { fork } = require('node:child_process'); fork('x');",
    broken: { ran_to_the_end: 'ReferenceError: require is not defined' },
  },
  'leaving the process': {
    text: adapter('process.exit(0);'),
    broken: { kept_the_contracts_shapes: 'inventory' },
  },
  'a loop for ever': {
    text: adapter('for (;;);'),
    broken: { ran_to_the_end: 'did not end within 20 seconds' },
  },
  'a microtask loop for ever': {
    text: adapter('for (;;) await undefined;'),
    broken: { ran_to_the_end: 'did not end within 20 seconds' },
  },
  'timers for ever': {
    text: adapter('await new Promise(() => setInterval(() => {}, 1));'),
    broken: { ran_to_the_end: '100000 timers' },
  },
  'a wait for nothing': {
    text: adapter('await new Promise(() => {});'),
    broken: { ran_to_the_end: 'waits for nothing' },
  },
  'memory without end': {
    text: adapter('const all = []; for (;;) all.push(new Array(1e5).fill(all.length));'),
    broken: { ran_to_the_end: 'more memory than the sandbox gives' },
  },
  'calls for ever': {
    text: adapter('for (;;) await fleet.listRobots().catch(() => {});'),
    broken: { ran_to_the_end: 'more than 10000 calls' },
  },
  'a call after the step': {
    text: adapter(
      `const list = ${listed}; Promise.resolve().then(() => {}).then(() => {}).then(() => {}).then(() => fleet.listRobots()); return list;`,
    ),
    broken: { ran_to_the_end: 'no step was open' },
  },
  'a flood on the log': {
    text: adapter(`for (let i = 0; i < 2e5; i++) console.log('x'.repeat(200)); return ${listed};`),
    broken: {},
  },
  getters: {
    text: adapter(
      `return (${listed}).map((r) => ({ get id() { return r.id; }, status: r.status, battery: r.battery }));`,
    ),
    broken: { kept_the_contracts_shapes: 'inventory' },
  },
  proxies: {
    text: adapter(`return new Proxy(${listed}, {});`),
    broken: { kept_the_contracts_shapes: 'inventory' },
  },
  cycles: {
    text: adapter('const list = []; list.push(list); return list;'),
    broken: { kept_the_contracts_shapes: 'inventory', inventory_is_the_vendors: 'r1' },
  },
  'toJSON that would choose the report': {
    text: adapter(`const list = ${listed}; return { toJSON: () => list };`),
    broken: { kept_the_contracts_shapes: 'inventory' },
  },
  'lone surrogates': {
    text: adapter(`return (${listed}).map((r) => ({ ...r, id: r.id + '\\uD800' }));`),
    broken: { kept_the_contracts_shapes: 'inventory' },
  },
  '__proto__ for a name': {
    text: adapter(`return (${listed}).map((r) => ({ ...r, id: '__proto__' }));`),
    broken: { inventory_is_the_vendors: '__proto__' },
  },
};

const opened: { remove(): void }[] = [];
afterEach(() => {
  for (const project of opened.splice(0)) project.remove();
});
afterAll(async () => expect(await containersLeft()).toEqual([]));

describe('hostile and broken adapters', () => {
  test.each(Object.entries(cases))('%s', async (_name, { text, broken }) => {
    const project = projectFolder({ 'adapter.js': text });
    opened.push(project);
    const { code, result } = await qualifyJson(['adapter.js', '--scenario', 'nominal', '--seed', '7'], {
      cwd: project.folder,
    });
    const run = result.adapters[0]?.runs[0];
    const ids = Object.keys(broken);
    expect(run?.rules.filter((rule) => !rule.held).map((rule) => rule.id)).toEqual(ids);
    for (const [id, part] of Object.entries(broken))
      expect(run?.rules.find((rule) => rule.id === id)?.text).toContain(part);
    expect([code, run?.verdict]).toEqual(ids.length > 0 ? [1, 'failed'] : [0, 'qualified']);
    expect(await containersLeft()).toEqual([]);
  });

  test('a module that does not load costs one container, and every scenario fails with that reason', async () => {
    const project = projectFolder({ 'adapter.js': "throw new Error('no');" });
    opened.push(project);
    const { code, result } = await qualifyJson(['adapter.js'], { cwd: project.folder });
    const runs = result.adapters[0]?.runs ?? [];
    expect([code, runs.length]).toEqual([1, 16]);
    for (const run of runs) {
      expect(run.rules.filter((rule) => !rule.held).map((rule) => rule.id)).toEqual(['ran_to_the_end']);
      expect(run.rules[0]?.text).toContain('does not load: Error: no');
    }
  });
});
