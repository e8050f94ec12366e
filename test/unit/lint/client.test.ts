import { beforeAll, describe, expect, it } from 'vitest';
import { lintAdapter } from '../../../server/src/lint/lint.ts';
import {
  applied,
  at,
  type Fleet,
  factsOf,
  fixOf,
  fleetProject,
  inputOf,
  lintTexts,
  said,
  use,
} from './support.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await fleetProject();
});

describe('not-granted', () => {
  const text = 'fleet.decommissionRobot(id);\nconst { updateFirmware } = fleet;\n';
  const call = use('call', 'decommissionRobot', at(text, 'decommissionRobot'));

  it('says that the broker refuses the call', () => {
    expect(lintTexts(fleet, text, { uses: [call] })).toEqual([
      'not-granted: The grant does not allow decommissionRobot (DELETE /robots/{id}), so the broker refuses this call.',
    ]);
  });

  it('says of an operation that is named and not called where it is named first', () => {
    const uses = [
      use('reference', 'updateFirmware', at(text, 'updateFirmware')),
      use('reference', 'updateFirmware', at(text, 'fleet', 1)),
      use('reference', 'decommissionRobot', at(text, 'id')),
      call,
    ];
    const findings = lintAdapter(inputOf(fleet, text, { facts: factsOf({ uses }) }));
    expect(findings.map(({ message, span }) => [message, span])).toEqual([
      [
        'The grant does not allow decommissionRobot (DELETE /robots/{id}), so the broker refuses this call.',
        at(text, 'decommissionRobot'),
      ],
      [
        'The grant does not allow updateFirmware (POST /robots/{id}/firmware), so the broker refuses its calls.',
        at(text, 'updateFirmware'),
      ],
    ]);
  });

  it('grants it after the last route, in the columns of the file', () => {
    const findings = lintAdapter(inputOf(fleet, text, { facts: factsOf({ uses: [call] }) }));
    const fix = fixOf(findings, 'not-granted');
    expect(fix.title).toBe('Grant DELETE /robots/* in fleet.grant');
    expect(fix.preferred).toBe(false);
    expect(applied(fix, 'fleet.grant', fleet.grant)).toBe(
      fleet.grant.replace('/missions/*/cancel\n', '/missions/*/cancel\nDELETE /robots/*\n'),
    );
  });

  it.each([
    ['', 'DELETE /robots/*\n'],
    ['# nothing yet', '# nothing yet\nDELETE /robots/*\n'],
    ['GET /robots', 'GET /robots\nDELETE /robots/*'],
    [
      'GET     /robots  # all\r\n@health GET /health\r\n',
      'GET     /robots  # all\r\nDELETE  /robots/*\r\n@health GET /health\r\n',
    ],
  ])('grants it in %j', (before, after) => {
    const grant = { file: 'fleet.grant', text: before };
    const findings = lintAdapter(inputOf(fleet, text, { facts: factsOf({ uses: [call] }), grant }));
    expect(applied(fixOf(findings, 'not-granted'), 'fleet.grant', before)).toBe(after);
  });

  it('names what the operation cannot be called without', () => {
    const surface = structuredClone(fleet.surface);
    const operation = surface.operations.find(({ name }) => name === 'updateFirmware');
    const [parameter] = operation?.parameters ?? [];
    if (operation === undefined || parameter === undefined) throw new Error('no parameter to copy');
    for (const [name, place, required] of [
      ['channel', 'query', true],
      ['verbose', 'query', false],
      ['X-Site', 'header', true],
      ['Idempotency-Key', 'header', true],
    ] as const) {
      operation.parameters.push({ ...parameter, name, in: place, required });
    }
    const uses = [use('call', 'updateFirmware', at(text, 'updateFirmware'))];
    const findings = lintAdapter(inputOf(fleet, text, { facts: factsOf({ uses }), surface }));
    expect(fixOf(findings, 'not-granted').title).toBe(
      'Grant POST /robots/*/firmware ?channel header:X-Site key:header:Idempotency-Key in fleet.grant',
    );
  });

  it.each([
    ['/robots/{id}\nDELETE /robots', 'verbose'],
    ['/robots/{id} safe', 'verbose'],
    ['/robots/{id}/firmware', 'verbose max:9'],
  ])('makes no other line of a document’s own words: %j, %j', (path, name) => {
    const surface = structuredClone(fleet.surface);
    const operation = surface.operations.find((each) => each.name === 'updateFirmware');
    const [parameter] = operation?.parameters ?? [];
    if (operation === undefined || parameter === undefined) throw new Error('no parameter to copy');
    operation.path = path;
    operation.parameters.push({ ...parameter, name, in: 'query', required: true });
    const uses = [use('call', 'updateFirmware', at(text, 'updateFirmware'))];
    const [finding] = lintAdapter(inputOf(fleet, text, { facts: factsOf({ uses }), surface }));
    expect([finding?.code, finding?.fixes]).toEqual(['not-granted', []]);
  });

  it('offers no grant for what no client can call', () => {
    const surface = structuredClone(fleet.surface);
    const operation = surface.operations.find(({ name }) => name === 'decommissionRobot');
    if (operation) operation.unusable = 'Its request body could not be read.';
    const findings = lintAdapter(inputOf(fleet, text, { facts: factsOf({ uses: [call] }), surface }));
    expect(said(findings)).toEqual([
      'not-granted: No client can call decommissionRobot: Its request body could not be read.',
    ]);
    expect(findings[0]?.fixes).toEqual([]);
  });

  it('is not silenced by a comment', () => {
    const silenced = `// loadline-disable-next-line not-granted: testing\n${text}`;
    const facts = factsOf({
      uses: [use('call', 'decommissionRobot', at(silenced, 'decommissionRobot'))],
      silences: [{ codes: ['not-granted'], reason: 'testing', line: 1, span: { start: 0, end: 50 } }],
    });
    expect(said(lintAdapter(inputOf(fleet, silenced, { facts })))).toEqual([
      'unused-silence: "not-granted" is not silenced by a comment: change what it is about.',
      'not-granted: The grant does not allow decommissionRobot (DELETE /robots/{id}), so the broker refuses this call.',
    ]);
  });
});

describe('unknown-operation', () => {
  it.each([
    ['fleet.createMision(r)', 'createMision', 'fleet.createMission(r)'],
    ['fleet["createMision"](r)', '"createMision"', 'fleet["createMission"](r)'],
    ['const { createMision } = fleet', 'createMision', 'const { createMission: createMision } = fleet'],
    ['const { createMision: make } = fleet', 'createMision', 'const { createMission: make } = fleet'],
  ])('renames in %s', (text, needle, after) => {
    const facts = factsOf({ uses: [use('unknown', 'createMision', at(text, needle))] });
    const findings = lintAdapter(inputOf(fleet, text, { facts }));
    expect(said(findings)).toEqual([
      'unknown-operation: The vendor document has no operation "createMision", so fleet has no such method. Did you mean "createMission"?',
    ]);
    const fix = fixOf(findings, 'unknown-operation');
    expect([fix.title, fix.preferred]).toEqual(['Change to createMission', true]);
    expect(applied(fix, 'adapter.js', text)).toBe(after);
  });

  it('guesses nothing where nothing is near, and lets no foreign text through', () => {
    const text = 'fleet["tele\u202eport"]()';
    const uses = [use('unknown', 'tele\u202eport', at(text, '"tele\u202eport"'))];
    const findings = lintAdapter(inputOf(fleet, text, { facts: factsOf({ uses }) }));
    expect(said(findings)).toEqual([
      'unknown-operation: The vendor document has no operation "teleport", so fleet has no such method.',
    ]);
    expect(findings[0]?.fixes).toEqual([]);
  });

  it('means the granted one of two that are equally near', () => {
    const surface = structuredClone(fleet.surface);
    for (const operation of surface.operations) {
      if (operation.name === 'updateFirmware') operation.name = 'getMissionA';
      if (operation.name === 'getMission') operation.name = 'getMissionB';
    }
    const text = 'fleet.getMissionC()';
    const facts = factsOf({ uses: [use('unknown', 'getMissionC', at(text, 'getMissionC'))] });
    expect(fixOf(lintAdapter(inputOf(fleet, text, { facts, surface })), 'unknown-operation').title).toBe(
      'Change to getMissionB',
    );
  });
});

describe('dynamic-operation', () => {
  const text = 'fleet[name]();';

  it('is a warning that says how the client is used', () => {
    const uses = [{ ...use('dynamic', null, at(text, 'name')), how: 'its name is computed' }];
    const [finding] = lintAdapter(inputOf(fleet, text, { facts: factsOf({ uses }) }));
    expect([finding?.severity, finding?.message]).toEqual([
      'warning',
      'Which operation of fleet is called here cannot be told (its name is computed), so the grant cannot be checked before the adapter runs.',
    ]);
  });

  it('has another weight, or none, as it is set', () => {
    const facts = factsOf({ uses: [use('dynamic', null, at(text, 'name'))] });
    const severities = (['error', 'off'] as const).map((choice) =>
      lintAdapter(
        inputOf(fleet, text, { facts, settings: { severity: { 'dynamic-operation': choice } } }),
      ).map(({ severity }) => severity),
    );
    expect(severities).toEqual([['error'], []]);
  });
});

describe('client-type', () => {
  it('gives the checker’s words a beginning', () => {
    const text = 'fleet.createMission(robotId, { targt });';
    const span = at(text, 'targt');
    const types = [
      {
        about: 'call' as const,
        name: 'createMission',
        message: "'targt' does not exist in type 'Body'.",
        span,
      },
      { about: 'answer' as const, name: null, message: "Property 'mision_id' does not exist", span },
      { about: 'error' as const, name: null, message: 'This comparison is always false.', span },
    ];
    expect(lintTexts(fleet, text, { types })).toEqual([
      "client-type: This is not how the vendor document has createMission: 'targt' does not exist in type 'Body'.",
      "client-type: The vendor document describes another answer: Property 'mision_id' does not exist.",
      'client-type: The error of a client call is different: This comparison is always false.',
    ]);
  });

  it('renames to what the checker takes for the name', () => {
    const text = 'return order.missionId;';
    const message = "Property 'missionId' does not exist on type 'Receipt'. Did you mean 'mission_id'?";
    const types = [{ about: 'answer' as const, name: null, message, span: at(text, 'missionId') }];
    const findings = lintAdapter(inputOf(fleet, text, { facts: factsOf({ types }) }));
    expect(applied(fixOf(findings, 'client-type'), 'adapter.js', text)).toBe('return order.mission_id;');
  });
});
