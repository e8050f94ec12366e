/** A project with an adapter that was judged: verdict files signed by a key of the test's own, and drafts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileContext } from '../../../server/src/language/feature.ts';
import type { JudgedBy } from '../../../server/src/session/drafts.ts';
import type { OpenProject } from '../../../server/src/session/openProject.ts';
import { Results } from '../../../server/src/session/results.ts';
import { sha256 } from '../../../server/src/workspace/files.ts';
import type { SigningKey } from '../../../shared/src/evidence/jws.ts';
import { judge } from '../../../shared/src/judge.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import { evidenceOf, fileOf, newKey, sealed, statementOf, verdictLine } from '../../support/verdictFiles.ts';
import { right } from '../fleet/behaviours.ts';
import type { Behaviour } from '../fleet/rig.ts';
import { but, create } from '../fleet/wrong.ts';
import { run } from '../reports/results.ts';
import { Desk } from './support.ts';

/** Lines 40 and 41 are where the wrong behaviour says that it calls. */
export const TEXT = [
  'module.exports = {',
  ...Array.from({ length: 37 }, (_, index) => `  // ${index}`),
  '  async dispatch(robotId, target, commandId) {',
  '    await fleet.createMission(robotId, { target });',
  '    return (await fleet.createMission(robotId, { target })).mission_id;',
  '  },',
  '};',
  '',
].join('\n');

/** Orders each command twice. */
export const twice = (): Behaviour =>
  but(() => ({
    async dispatch(rig, robot, target, command) {
      await create(rig, robot, { target }, 40);
      return create(rig, robot, { target, command_id: command }, 41);
    },
  }));

export class ResultsDesk extends Desk {
  readonly changed: string[] = [];
  readonly trusted = new Set<string>();
  key!: SigningKey;
  project!: OpenProject;
  results!: Results;

  static async open(): Promise<ResultsDesk> {
    const desk = new ResultsDesk();
    desk.write('adapter.js', TEXT);
    const project = await desk.workspace.projectOf(join(desk.folder, 'adapter.js'));
    if (project === null) throw new Error('There is no project.');
    desk.key = await newKey();
    desk.trusted.add(desk.key.kid);
    desk.project = project;
    desk.results = new Results(project, {
      changed: (adapter) => desk.changed.push(adapter),
      trusted: async (kids) => new Set(kids.filter((kid) => desk.trusted.has(kid))),
    });
    Object.defineProperty(project, 'results', { value: desk.results });
    return desk;
  }

  get judged(): JudgedBy {
    return { sha256: sha256(TEXT), inputs: this.results.inputs() };
  }

  /** A signed line of that scenario about the adapter's text. */
  async line(scenario: string, behaviour = right(), key = this.key): Promise<string> {
    const statement = await statementOf(await evidenceOf(scenario, behaviour, TEXT), key, TEXT);
    Object.assign(statement.predicate.inputs, this.results.inputs());
    return verdictLine(statement, key);
  }

  async sealedText(lines: readonly string[], key = this.key): Promise<string> {
    return fileOf([...lines, await sealed(lines, key)]);
  }

  writeVerdicts(text: string | Uint8Array): void {
    writeFileSync(join(this.folder, 'adapter.verdicts.jsonl'), text);
  }

  async draft(scenario: string, behaviour = right(), change: Partial<RunResult> = {}): Promise<RunResult> {
    const evidence = await evidenceOf(scenario, behaviour, TEXT);
    const { verdict, rules } = judge(evidence);
    return run(scenario, { verdict, rules, evidence, ...change });
  }

  /** `scenario state` and what else is known, of scenarios of which anything is. */
  known(adapter = 'adapter.js'): string[] {
    return this.results
      .scenarios(adapter)
      .filter(({ state }) => state !== 'none')
      .map(({ id, state, signed, stale }) =>
        [id, state, ...(signed ? ['signed'] : []), ...(stale ? ['stale'] : [])].join(' '),
      );
  }

  async context(name = 'adapter.js', text = TEXT, languageId = 'javascript'): Promise<FileContext> {
    const context = await this.workspace.context(this.open(name, text, languageId));
    if (context === null) throw new Error('There is no context.');
    return context;
  }
}
