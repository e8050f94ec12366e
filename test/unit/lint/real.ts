/** The real analysis over the fleet example. */
import type { Analysis } from '../../../server/src/analysis/analysis.ts';
import { createAnalysis } from '../../../server/src/analysis/createAnalysis.ts';
import type { LintFinding } from '../../../server/src/lint/finding.ts';
import { lintAdapter } from '../../../server/src/lint/lint.ts';
import { type Fleet, inputOf } from './support.ts';

export class RealLint {
  readonly #fleet: Fleet;
  readonly #analysis: Analysis;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#analysis = createAnalysis({ surface: fleet.surface, contract: fleet.contract });
  }

  lint(text: string): LintFinding[] {
    const file = 'adapter.js';
    this.#analysis.setFile(file, text);
    const facts = this.#analysis.facts(file);
    return lintAdapter(inputOf(this.#fleet, text, { facts, flow: this.#analysis.flow(file) }));
  }

  /** Codes, each once, in alphabetical order. */
  codes(text: string): string[] {
    return [...new Set(this.lint(text).map(({ code }) => code))].sort();
  }
}

const RIGHT: readonly (readonly [name: string, text: string])[] = [
  [
    'inventory',
    `async function inventory() {
  const { robots } = await fleet.listRobots();
  return robots.map(({ id, status, battery }) => ({ id, status, battery }));
}`,
  ],
  [
    'dispatch',
    `async function dispatch(robotId, target, commandId) {
  const order = await fleet.createMission(robotId, { target, command_id: commandId });
  return order.mission_id;
}`,
  ],
  [
    'wait',
    `async function wait(missionId, opts) {
  const maxPolls = opts?.maxPolls ?? 50;
  for (let polls = 1; polls <= maxPolls; polls += 1) {
    const mission = await fleet.getMission(missionId).catch(() => null);
    if (mission?.status === 'done') return { state: 'done', polls };
  }
  return { state: 'timeout', polls: maxPolls };
}`,
  ],
  [
    'cancel',
    `async function cancel(missionId) {
  await fleet.cancelMission(missionId);
}`,
  ],
];

/** A whole adapter of one function that is looked at and right ones beside it. A module of its own stays as it is. */
export function wholeAdapter(snippet: string): string {
  if (/^(export|import|module\.exports)\b/m.test(snippet)) return snippet;
  const others = RIGHT.filter(([name]) => !new RegExp(`\\bfunction\\*? ${name}\\b`).test(snippet));
  const names = RIGHT.map(([name]) => name).join(', ');
  return `${snippet}\n\n${others.map(([, text]) => text).join('\n\n')}\n\nmodule.exports = { ${names} };\n`;
}
