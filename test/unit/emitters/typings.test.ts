import { describe, expect, test } from 'vitest';
import { emitSandboxGlobals } from '../../../shared/src/surface/sandboxGlobals.ts';
import type { Schema } from '../../../shared/src/surface/surface.ts';
import { emitTypings, typesNamespace } from '../../../shared/src/surface/typings.ts';
import { typeErrors } from './compile.ts';
import { errors, object } from './declared.ts';
import { answer, FLEET, grant, json, operation, parameter, ref, surface } from './surfaces.ts';

describe('the file', () => {
  test('compiles with the ES2023 library alone, and without the sandbox globals but for AbortSignal', () => {
    expect(errors(emitTypings(FLEET))).toEqual([]);
    const alone = typeErrors({ 'client.d.ts': emitTypings(FLEET) });
    expect(new Set(alone.map((error) => error.replace(/^\S+ /, '')))).toEqual(
      new Set(["Cannot find name 'AbortSignal'."]),
    );
  });
});

test('the namespace is named after the client', () => {
  expect(typesNamespace('fleet')).toBe('FleetApi');
  expect(typesNamespace('$my_client')).toBe('$my_clientApi');
});

describe('methods', () => {
  test('calls that fit', () => {
    const code = `
      const robots: FleetApi.Robot[] = await fleet.listRobots();
      await fleet.listRobots({ query: { status: ['idle'], limit: 3, undocumented: true }, signal: AbortSignal.timeout(5) });
      const accepted = await fleet.createMission('r1', { target: { x: 1, y: 2 }, command_id: 'c' }, { headers: { 'X-Trace': 't' } });
      const id: string = accepted.mission_id;
      const nothing: null = await fleet.cancelMission(id);
      await fleet.charge({ amount: 5 }, { headers: { 'Idempotency-Key': 'k' } });
      await fleet.charge();
      const problem = { name: 'VendorCallError' } as VendorCallError<FleetApi.Errors['createMission']>;
      const body: FleetApi.Problem | { errors?: string[] } = problem.body;
      const outcome: 'none' | 'refused' | 'unknown' = problem.outcome;
      const battery: number | null | undefined = robots[0]?.battery;`;
    expect(errors(emitTypings(FLEET), code)).toEqual([]);
  });

  test.each([
    [
      'fleet.listRobots({ query: { page: 1 } })',
      "Object literal may only specify known properties, and 'page' does not exist",
    ],
    ['fleet.listRobots({ headers: {} })', "'headers' does not exist"],
    ['fleet.getRobot()', 'Expected 1 arguments, but got 0.'],
    ["fleet.getRobot('r1', {})", 'Expected 1 arguments, but got 2.'],
    ['fleet.getRobot(1)', "Argument of type 'number' is not assignable to parameter of type 'string'."],
    ["fleet.createMission('r1', { target: { x: 1 } })", "Property 'y' is missing"],
    [
      "fleet.createMission('r1', { target: { x: 1, y: 2 }, extra: 1 })",
      "'extra' does not exist in type 'MissionOrder'",
    ],
    ["fleet.decommissionRobot('r1')", "is not assignable to parameter of type 'never'."],
    ['fleet.nothing()', "Property 'nothing' does not exist on type 'Client'."],
    [
      "fleet.getRobot('r').then((robot) => { robot.id = 'x'; })",
      "Cannot assign to 'id' because it is a read-only property.",
    ],
  ])('%s', (code, message) => {
    const found = errors(emitTypings(FLEET), `${code};`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  test('an optional body before required options has to be passed', () => {
    const text = emitTypings(
      surface([
        operation('op', 'POST', '/x', {
          grant: grant('POST /x', { query: ['q'] }),
          parameters: [parameter('q', 'query', { type: 'string' }, { required: true })],
          body: { required: false, contents: json({ type: 'string' }) },
          answers: [answer('default', { type: 'boolean' })],
        }),
      ]),
    );
    expect(text).toContain(
      'op(body: string | undefined, options: { query: { q: string }; signal?: AbortSignal }): Promise<boolean>;',
    );
    expect(errors(text)).toEqual([]);
  });

  test('names of parameters are identifiers and differ', () => {
    const text = emitTypings(
      surface([
        operation('op', 'POST', '/{robot-id}/{robot_id}/{robotId}/{class}/{1}/{body}', {
          grant: grant('POST /x'),
          body: { required: true, contents: json(true) },
        }),
      ]),
    );
    expect(text).toContain(
      'op(robotId: string, robot_id: string, robotId2: string, class_: string, _1: string, body: string, body2: unknown): Promise<unknown>;',
    );
    expect(errors(text)).toEqual([]);
  });

  test('answers: the 2xx bodies, nothing is null, other media are text', () => {
    const text = emitTypings(
      surface([
        operation('mixed', 'GET', '/a', {
          grant: grant('GET /a'),
          answers: [
            answer('200', { type: 'number' }),
            answer('204'),
            { status: '2XX', contents: [{ mediaType: 'text/csv', schema: true }], headers: [] },
            answer('default', { type: 'boolean' }),
          ],
        }),
        operation('head', 'HEAD', '/a', {
          grant: grant('HEAD /a'),
          answers: [answer('200', { type: 'number' })],
        }),
      ]),
    );
    expect(text).toContain('mixed(): Promise<number | string | null>;');
    expect(text).toContain('mixed: { 200: number; 204: null; "2XX": string; "default": boolean };');
    expect(text).toContain('mixed: Answers["mixed"]["default"];');
    expect(text).toContain('head(): Promise<null>;');
    expect(errors(text)).toEqual([]);
  });
});

describe('foreign text', () => {
  test('cannot leave its comment, name or literal', () => {
    const evil = `*/ } declare const pwned: 1; /* \`$${'{x}'}\` \u202e @deprecated ![i](command:x)`;
    const text = emitTypings(
      surface(
        [
          operation('op', 'GET', `/x*/y/{${evil}}`, {
            grant: grant('GET /x'),
            summary: evil,
            description: evil,
            parameters: [parameter(evil, 'path', { enum: [evil] }, { description: evil })],
            answers: [answer('200', ref(evil)), answer(evil, ref(evil))],
          }),
          operation(evil, 'GET', '/z', {}),
          operation('odd', 'GET', '/odd', { unusable: evil }),
        ],
        { [evil]: object({ [evil]: { type: 'string', description: evil }, __proto__x: true, new: true }) },
      ),
    );
    expect(errors(text)).toEqual([]);
    expect(text).not.toMatch(/[\u202e]|^\s*declare const pwned/m);
    expect(errors(text, 'pwned;')[0]).toContain("Cannot find name 'pwned'");
  });

  test('names of types are identifiers, differ, and hide nothing that is used', () => {
    const names = [
      'Promise',
      'Record',
      'Error',
      'string',
      'Client',
      'robot',
      'Robot',
      'v1.Pod',
      '1st',
      'a-b',
      'aB',
      '__proto__',
      '日本',
    ];
    const schemas: Record<string, Schema> = Object.fromEntries(
      names.map((name) => [name, object({ self: ref(name) })]),
    );
    const text = emitTypings(
      surface(
        [
          operation('op', 'GET', '/x', {
            grant: grant('GET /x'),
            answers: [answer('200', { oneOf: names.map(ref) })],
          }),
        ],
        schemas,
      ),
    );
    const found = [...text.matchAll(/^ {2}interface (\S+)/gm)].map((match) => match[1]);
    expect(found.slice(3)).toEqual([
      'Promise2',
      'Record2',
      'Error',
      'String',
      'Client2',
      'Robot2',
      'Robot',
      'V1Pod',
      '_1st',
      'AB',
      'AB2',
      '__proto__',
      '日本',
    ]);
    expect(errors(text)).toEqual([]);
  });
});

test('sandbox globals alone compile, and are what adapters use', () => {
  const code = `
    const timer = setTimeout((a: number) => console.log(a), 5, 1); clearTimeout(timer);
    const controller = new AbortController(); controller.abort(); controller.signal.throwIfAborted();
    AbortSignal.any([controller.signal]).addEventListener('abort', () => {}, { once: true });
    queueMicrotask(() => {}); const now: number = performance.now();`;
  expect(typeErrors({ 'globals.d.ts': emitSandboxGlobals(), 'adapter.ts': `export {};${code}` })).toEqual([]);
});

test('same surface, same text', () => {
  expect(emitTypings(structuredClone(FLEET))).toBe(emitTypings(FLEET));
});
