import { beforeAll, describe, expect, it } from 'vitest';
import { lintWithCount } from '../../../server/src/lint/lint.ts';
import { RealLint, wholeAdapter } from './real.ts';
import { applied, at, type Fleet, factsOf, fixOf, fleetProject, inputOf, lintTexts, use } from './support.ts';

let fleet: Fleet;
let real: RealLint;
beforeAll(async () => {
  fleet = await fleetProject();
  real = new RealLint(fleet);
});

const COMPUTED =
  "async function cancel(missionId) {\n  const verb = ['cancel', 'Mission'].join('');\n  await fleet[verb](missionId);\n}";

describe('loadline-disable-next-line', () => {
  it('takes a finding away and is counted', () => {
    const text = '// loadline-disable-next-line dynamic-operation: both are granted\nfleet[verb]();\n';
    const facts = factsOf({
      uses: [use('dynamic', null, at(text, 'verb'))],
      silences: [
        { codes: ['dynamic-operation'], reason: 'both are granted', line: 1, span: { start: 0, end: 65 } },
      ],
    });
    expect(lintWithCount(inputOf(fleet, text, { facts }))).toEqual({ findings: [], silenced: 1 });
  });

  it('asks for a reason, and is unused where there is nothing to silence', () => {
    const span = { start: 0, end: 2 };
    const silence = (code: string): { codes: string[]; reason: string; line: number; span: typeof span } => ({
      codes: [code],
      reason: 'because',
      line: 1,
      span,
    });
    const silences = ['forbidden-global', 'forbiden-global', 'unknown-operation', 'teleport'].map(silence);
    expect(lintTexts(fleet, '//\n', { silences })).toEqual([
      'unused-silence: "forbidden-global" has nothing to say about the next line: remove it from this comment.',
      'unused-silence: There is no rule "forbiden-global" to silence. Did you mean "forbidden-global"?',
      'unused-silence: "unknown-operation" is not silenced by a comment: change what it is about.',
      'unused-silence: There is no rule "teleport" to silence.',
    ]);
  });

  it('has to name a rule', () => {
    const silences = [{ codes: [], reason: '', line: 1, span: { start: 0, end: 2 } }];
    expect(lintTexts(fleet, '//\n', { silences })).toEqual([
      'unused-silence: This comment names no rule to silence: write its code, a colon and the reason.',
    ]);
  });

  it('is not called unused while the file cannot be read whole', () => {
    const silences = [{ codes: ['contract-code'], reason: 'because', line: 1, span: { start: 0, end: 2 } }];
    const facts = factsOf({ silences });
    expect(lintWithCount(inputOf(fleet, '//\n', { facts, flow: null })).findings).toEqual([]);
  });

  it('is written by a fix, in the line’s own indent, and then holds', () => {
    const text = wholeAdapter(COMPUTED);
    const fix = fixOf(real.lint(text), 'dynamic-operation');
    expect([fix.title, fix.preferred]).toEqual(['Silence dynamic-operation on this line', false]);
    const after = applied(fix, 'adapter.js', text);
    expect(after).toContain(
      '\n  // loadline-disable-next-line dynamic-operation: say here why this is right\n  await fleet[verb]',
    );
    expect(real.codes(after)).toEqual([]);
  });

  it('joins the comment that is there', () => {
    const silent = '  // loadline-disable-next-line forbidden-global: only in tests\n';
    const text = wholeAdapter(
      COMPUTED.replace('  await', `${silent}  await`).replace('[verb]', '[process.verb]'),
    );
    const after = applied(fixOf(real.lint(text), 'dynamic-operation'), 'adapter.js', text);
    expect(after).toContain(
      '// loadline-disable-next-line forbidden-global, dynamic-operation: only in tests',
    );
    expect(real.codes(after)).toEqual([]);
  });

  it('is not offered for what no comment silences', () => {
    const text = 'fleet.decommissionRobot(id)';
    const facts = factsOf({ uses: [use('call', 'decommissionRobot', at(text, 'decommissionRobot'))] });
    const [finding] = lintWithCount(inputOf(fleet, text, { facts })).findings;
    expect(finding?.fixes.map(({ title }) => title)).toEqual(['Grant DELETE /robots/* in fleet.grant']);
  });
});
