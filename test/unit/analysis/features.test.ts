import { beforeAll, describe, expect, test } from 'vitest';
import type { Analysis } from '../../../server/src/analysis/analysis.ts';
import { cursor, example, fleetAnalysis } from './support.ts';

let analysis: Analysis;
beforeAll(async () => {
  analysis = await fleetAnalysis();
});

function labels(marked: string): string[] {
  const { text, offset } = cursor(marked);
  analysis.setFile('a.js', text);
  return analysis.complete('a.js', offset).map(({ label, kind }) => `${label} ${kind}`);
}

const inDispatch = (body: string): string =>
  `module.exports = { async dispatch(robotId, target, commandId) { ${body} } };`;

describe('completion', () => {
  test('operations: the granted ones first, the others last', () => {
    const { text, offset } = cursor(inDispatch('fleet.|'));
    analysis.setFile('a.js', text);
    const items = analysis.complete('a.js', offset);
    const sorted = [...items].sort((a, b) => a.sortText.localeCompare(b.sortText));
    expect(sorted.map(({ label, detail }) => `${label}: ${detail}`)).toEqual([
      'health: GET /health',
      'listRobots: GET /robots',
      'getRobot: GET /robots/{id}',
      'createMission: POST /robots/{id}/missions',
      'getMission: GET /missions/{id}',
      'cancelMission: POST /missions/{id}/cancel',
      'decommissionRobot: DELETE /robots/{id} (not granted)',
      'updateFirmware: POST /robots/{id}/firmware (not granted)',
    ]);
  });

  test.each([
    ['a parameter of the contract', inDispatch('target.|'), ['x property', 'y property']],
    ['a body', inDispatch('fleet.createMission(robotId, { target, | })'), ['command_id property']],
    [
      'an answer',
      inDispatch('const m = await fleet.getMission("m"); m.|'),
      ['command_id', 'error', 'id', 'progress', 'robot', 'status', 'target'].map(
        (name) => `${name} property`,
      ),
    ],
    [
      'a caught error',
      inDispatch('try { await fleet.health(); } catch (e) { e.| }'),
      [
        'body',
        'cause',
        'message',
        'name',
        'origin',
        'outcome',
        'retryAfterMs',
        'sent',
        'stack',
        'status',
      ].map((name) => `${name} property`),
    ],
    [
      'a value that is compared',
      inDispatch('try { await fleet.health(); } catch (e) { if (e.origin === "|") throw e; }'),
      ['client value', 'broker value', 'vendor value'],
    ],
    [
      'a value of the contract',
      "module.exports = { async wait(id, opts) { return { state: '|', polls: 1 }; } };",
      ['done value', 'failed value', 'cancelled value', 'timeout value'],
    ],
    [
      'the functions of the contract that are missing',
      'module.exports = { async inventory() { return []; }, | };',
      ['cancel export', 'dispatch export', 'wait export'],
    ],
    ['what is the editor’s own', inDispatch('const list = []; list.|'), []],
    ['a name of the author’s', inDispatch('const robots = 1; rob|'), []],
  ])('%s', (_name, marked, expected) => {
    expect(labels(marked)).toEqual(expected);
  });
});

test('subjects and signatures', () => {
  const text = inDispatch(
    'const receipt = await fleet.createMission(robotId, { target }); return receipt.mission_id;',
  );
  analysis.setFile('a.js', text);
  const at = (needle: string, more = 1) => text.indexOf(needle) + more;
  expect(analysis.subject('a.js', at('createMission'))).toMatchObject({
    kind: 'operation',
    name: 'createMission',
  });
  expect(analysis.subject('a.js', at('dispatch'))).toMatchObject({ kind: 'export', name: 'dispatch' });
  expect(analysis.subject('a.js', at('mission_id'))).toMatchObject({
    kind: 'member',
    name: 'mission_id',
    type: 'string',
  });
  expect(analysis.subject('a.js', at('receipt'))).toBeNull();
  const signature = analysis.signature('a.js', at('{ target }'));
  expect([signature?.label, signature?.active]).toEqual([
    'createMission(id: string, body: MissionOrder): Promise<MissionReceipt>',
    1,
  ]);
  expect(analysis.signature('a.js', at('robotId, {'))?.active).toBe(0);
  expect(analysis.signature('a.js', at('return'))).toBeNull();
});

describe('type findings', () => {
  function findings(text: string): string[] {
    analysis.setFile('a.js', text);
    return analysis
      .facts('a.js')
      .types.map(({ about, name, span }) => `${about} ${name} ${text.slice(span.start, span.end)}`);
  }

  test('planted faults, each at its place', () => {
    expect(findings(inDispatch('return 1;'))).toEqual(['shape dispatch return']);
    expect(findings("module.exports = { async wait() { return { state: 'don', polls: '3' }; } };")).toEqual([
      'shape wait state',
      'shape wait polls',
    ]);
    expect(findings(inDispatch('await fleet.createMission(robotId, { target, commandID: 1 });'))).toEqual([
      'call createMission commandID',
    ]);
    expect(findings(inDispatch('await fleet.createMission();'))).toEqual([
      'call createMission createMission',
    ]);
    expect(findings(inDispatch('const m = await fleet.getMission("m"); return m.state;'))).toEqual([
      'answer null state',
    ]);
    expect(
      findings(inDispatch("try { await fleet.health(); } catch (e) { if (e.sent === 'mabye') throw e; }")),
    ).toEqual(["error null e.sent === 'mabye'"]);
  });

  test('right code of a loose kind draws nothing', () => {
    const loose = `module.exports = { async wait(id) {
      const m = await fleet.getMission(id);
      if (['done', 'failed'].includes(m.status)) return { state: m.status, polls: 1 };
      const e = new Error('x'); e.code = 'refused';
      return { state: String(m.status), polls: 2, extra: true };
    } };`;
    expect(findings(loose)).toEqual([]);
  });
});

test('thrown errors and their codes', () => {
  const text = inDispatch(`
    if (!robotId) throw new Error('none');
    if (!target) throw Object.assign(new Error('x'), { code: 'refuzed' });
    const e = new TypeError('y'); e.code = 'refused';
    if (!commandId) throw e;
    try { throw new Error('caught'); } catch { }
    throw make();`);
  analysis.setFile('a.js', text);
  expect(
    analysis.facts('a.js').thrown.map(({ code }) => (code.kind === 'literal' ? code.value : code.kind)),
  ).toEqual(['none', 'refuzed', 'refused', 'unknown']);
});

describe('half-typed files', () => {
  test('nothing throws at any cut of an adapter', () => {
    const text = example('adapter-v3.js');
    for (let end = 0; end <= text.length; end += 50) {
      const cut = text.slice(0, end);
      analysis.setFile('a.js', cut);
      analysis.facts('a.js');
      analysis.flow('a.js');
      analysis.complete('a.js', end);
      analysis.subject('a.js', Math.max(0, end - 1));
      analysis.signature('a.js', end);
    }
    analysis.setFile('a.js', text);
    expect(analysis.facts('a.js').syntaxErrors).toEqual([]);
  });
});

test.each([
  ['parentheses', (depth: number) => `a = ${'('.repeat(depth)}1${')'.repeat(depth)};`],
  ['calls', (depth: number) => `a = b${'.c()'.repeat(depth)};`],
  ['sums', (depth: number) => `a = b${' + b'.repeat(depth)};`],
  ['blocks', (depth: number) => '{'.repeat(depth) + '}'.repeat(depth)],
  ['functions', (depth: number) => `a = ${'() => '.repeat(depth)}1;`],
])('a text of deeply nested %s is refused by itself and spares the others', (_name, nested) => {
  analysis.setFile('deep.js', nested(200));
  expect(analysis.facts('deep.js').syntaxErrors).toEqual([]);
  analysis.setFile('deep.js', nested(6_000));
  expect(analysis.facts('deep.js').syntaxErrors).toEqual([
    {
      message: 'This file is nested too deeply to be analysed; split its longest expression.',
      span: { start: 0, end: 0 },
    },
  ]);
  expect(analysis.complete('deep.js', 9_000)).toEqual([]);
  expect([analysis.subject('deep.js', 9_000), analysis.signature('deep.js', 9_000)]).toEqual([null, null]);
  analysis.setFile('a.js', inDispatch('return 1;'));
  expect(analysis.facts('a.js').types.length).toBe(1);
  analysis.removeFile('deep.js');
});
