import { beforeAll, describe, expect, it } from 'vitest';
import type { AdapterFacts } from '../../../server/src/analysis/facts.ts';
import { lintProject } from '../../../server/src/lint/project.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import { applied, type Fleet, factsOf, fleetProject, GRANT_FILE, use } from './support.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await fleetProject();
});

const nowhere = { start: 0, end: 0 };

function uses(...names: string[]): AdapterFacts {
  return factsOf({ uses: names.map((name) => use('call', name, nowhere)) });
}

function lint(adapters: (AdapterFacts | null)[], severity: Settings['severity'] = {}): string[] {
  const grant = { file: GRANT_FILE, text: fleet.grant };
  return lintProject({ surface: fleet.surface, grant, adapters, settings: { severity } }).map(
    ({ code, severity: weight, message }) => `${weight} ${code}: ${message}`,
  );
}

describe('unused-grant', () => {
  it('is what no adapter uses, by call or by name, the health route apart', () => {
    const named = factsOf({ uses: [use('reference', 'getMission', nowhere)] });
    expect(lint([uses('listRobots', 'createMission'), named])).toEqual([
      'hint unused-grant: No adapter here uses getRobot: leave GET /robots/* out, and nothing can call it by mistake.',
      'hint unused-grant: No adapter here uses cancelMission: leave POST /missions/*/cancel out, and nothing can call it by mistake.',
    ]);
  });

  it('marks the whole route, and removes its line', () => {
    const grant = { file: GRANT_FILE, text: fleet.grant };
    const adapters = [uses('listRobots', 'getRobot', 'getMission', 'cancelMission')];
    const [finding] = lintProject({ surface: fleet.surface, grant, adapters, settings: { severity: {} } });
    const [fix] = finding?.fixes ?? [];
    if (finding === undefined || fix === undefined) throw new Error('nothing was found');
    const line = 'POST /robots/*/missions   key:body:/command_id';
    expect(fleet.grant.slice(finding.span.start, finding.span.end)).toBe(line);
    expect(fix.title).toBe('Remove POST /robots/*/missions');
    expect(applied(fix, GRANT_FILE, fleet.grant)).toBe(fleet.grant.replace(`${line}\n`, ''));
  });

  it.each([
    ['there is no adapter', []],
    ['one cannot be read', [uses('listRobots'), null]],
    ['one does not parse', [factsOf({ syntaxErrors: [{ message: 'x', span: nowhere }] })]],
    ['one may call anything', [factsOf({ uses: [use('dynamic', null, nowhere)] })]],
  ])('is not said while %s', (_, adapters) => {
    expect(lint(adapters)).toEqual([]);
  });

  it('can be switched off', () => {
    expect(lint([uses('listRobots')], { 'unused-grant': 'off' })).toEqual([]);
  });
});
