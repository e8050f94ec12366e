/** The fleet example as a project, and facts of an adapter made by hand. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AdapterFacts, ClientUse, TextSpan } from '../../../server/src/analysis/facts.ts';
import type { Fix, LintFinding, LintInput } from '../../../server/src/lint/finding.ts';
import { lintAdapter } from '../../../server/src/lint/lint.ts';
import { loadProject, type Project } from '../../../server/src/workspace/project.ts';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';

export const FLEET = resolve(import.meta.dirname, '../../../examples/fleet');
export const GRANT_FILE = 'fleet.grant';

export interface Fleet {
  project: Project;
  surface: Surface;
  contract: Contract;
  grant: string;
}

export async function fleetProject(overlay?: ReadonlyMap<string, string>): Promise<Fleet> {
  const project = await loadProject(FLEET, overlay === undefined ? {} : { overlay });
  const contract = contractById('fleet/1');
  if (project.surface === null || contract === undefined) throw new Error('The example project is broken.');
  const grant = overlay?.get(GRANT_FILE) ?? readFileSync(resolve(FLEET, GRANT_FILE), 'utf8');
  return { project, surface: project.surface, contract, grant };
}

/** Span of the nth (from 0) occurrence of `needle`. */
export function at(text: string, needle: string, nth = 0): TextSpan {
  let start = -1;
  for (let index = 0; index <= nth; index += 1) start = text.indexOf(needle, start + 1);
  if (start < 0) throw new Error(`"${needle}" is not in the text.`);
  return { start, end: start + needle.length };
}

/** Facts of a file in which every function of the contract is exported well. */
export function factsOf(facts: Partial<AdapterFacts> = {}): AdapterFacts {
  const nowhere = { start: 0, end: 0 };
  return {
    syntaxErrors: [],
    form: { kind: 'commonjs', exports: nowhere },
    exports: ['inventory', 'dispatch', 'wait', 'cancel'].map((name) => ({
      name,
      span: nowhere,
      function: null,
      async: 'yes',
    })),
    extras: [],
    uses: [],
    freeNames: [],
    types: [],
    thrown: [],
    silences: [],
    ...facts,
  };
}

export function use(kind: ClientUse['kind'], name: string | null, span: TextSpan, whole = span): ClientUse {
  return { kind, name, span, whole, reachedFrom: [] };
}

export function inputOf(fleet: Fleet, text: string, more: Partial<LintInput> = {}): LintInput {
  return {
    file: 'adapter.js',
    text,
    facts: factsOf(),
    flow: { findings: [], unfinished: [] },
    surface: fleet.surface,
    contract: fleet.contract,
    settings: { severity: {} },
    grant: { file: GRANT_FILE, text: fleet.grant },
    ...more,
  };
}

/** `code: message` of each finding. */
export function said(findings: readonly LintFinding[]): string[] {
  return findings.map(({ code, message }) => `${code}: ${message}`);
}

export function lintTexts(fleet: Fleet, text: string, facts: Partial<AdapterFacts>): string[] {
  return said(lintAdapter(inputOf(fleet, text, { facts: factsOf(facts) })));
}

/** The text after a fix's edits of one file. */
export function applied(fix: Fix, file: string, text: string): string {
  const edits = fix.edits.filter((edit) => edit.file === file);
  let result = text;
  for (const { span, newText } of [...edits].sort((a, b) => b.span.start - a.span.start)) {
    result = result.slice(0, span.start) + newText + result.slice(span.end);
  }
  return result;
}

export function fixOf(findings: readonly LintFinding[], code: string, index = 0): Fix {
  const fix = findings.find((finding) => finding.code === code)?.fixes[index];
  if (fix === undefined) throw new Error(`Nothing with the code ${code} has a fix ${index}.`);
  return fix;
}
