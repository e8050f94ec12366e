/** What a rule says about a file, and what a rule is given. */
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import type { Severity, Surface } from '../../../shared/src/surface/surface.ts';
import { oneLine } from '../../../shared/src/text.ts';
import type { AdapterFacts, TextSpan } from '../analysis/facts.ts';
import type { FlowFacts } from '../analysis/flow/flowFacts.ts';

/** `file` is relative to the project folder; `span` is of the text that the rule was given of it. */
export interface Edit {
  file: string;
  span: TextSpan;
  newText: string;
}

export interface Fix {
  title: string;
  kind: 'quickfix';
  edits: Edit[];
  /** The one to take where nothing speaks for another. At most one of a finding is. */
  preferred: boolean;
}

export interface LintFinding {
  /** One of shared/src/diagnostics.ts. */
  code: string;
  severity: Severity;
  /** One line, through the text gate. */
  message: string;
  span: TextSpan;
  /** Other places of the same file. */
  related: { message: string; span: TextSpan }[];
  fixes: Fix[];
}

/** A finding before settings and silences were looked at. */
export type Found = Omit<LintFinding, 'severity'>;

/** A file with its text as the editor holds it. */
export interface TextFile {
  file: string;
  text: string;
}

export interface LintInput extends TextFile {
  facts: AdapterFacts;
  /** null: nothing is known about failing calls. */
  flow: FlowFacts | null;
  surface: Surface;
  contract: Contract;
  settings: Pick<Settings, 'severity'>;
  /** The grant, for fixes that edit it. */
  grant: TextFile | null;
}

export type Rule = (input: LintInput) => Found[];

/** A finding whose words may hold foreign text: they go through the text gate here. */
export function found(code: string, message: string, span: TextSpan, more: Partial<Found> = {}): Found {
  const related = (more.related ?? []).map((each) => ({ ...each, message: oneLine(each.message) }));
  return { code, message: oneLine(message), span, related, fixes: more.fixes ?? [] };
}

export function quickFix(title: string, edits: Edit[], preferred = false): Fix {
  return { title: oneLine(title), kind: 'quickfix', edits, preferred };
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
