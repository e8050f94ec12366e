/** How rules speak: findings put together to one outcome, in plain words, foreign text only through the gate. */
import type { OrderState, RuleOutcome } from '../../evidence/evidence.ts';
import type { Site } from '../../guestProtocol.ts';
import { oneLine } from '../../text.ts';
import type { OwnOrder } from './facts.ts';
import type { PlannedStep } from './types.ts';

/** Something that breaks a rule. */
export interface Finding {
  /** Part of a sentence, without a full stop. */
  text: string;
  /** Ledger rows that show it. */
  ledger: number[];
  sites: Site[];
}

/** What a rule found; `held` is said where nothing breaks it, with the rows that show that. */
export interface Verdict {
  findings: Finding[];
  held: { text: string; ledger: number[] };
}

/** Findings that one outcome spells out; the rest are counted. */
const SPELLED_OUT = 3;
/** Rows and sites of one outcome. */
const MOST_ROWS = 200;
const MOST_SITES = 20;
const QUOTE_LENGTH = 80;
const SENTENCE_LENGTH = 2_000;

export function outcomeOf(id: string, { findings, held }: Verdict): RuleOutcome {
  if (findings.length === 0)
    return { id, held: true, text: sentence(held.text), ledger: rowsOf(held.ledger), sites: [] };
  const more = findings.length - SPELLED_OUT;
  const parts = findings.slice(0, SPELLED_OUT).map((finding) => finding.text);
  if (more > 0) parts.push(`and ${more} more of this kind`);
  return {
    id,
    held: false,
    text: sentence(parts.join('; ')),
    ledger: rowsOf(findings.flatMap((finding) => finding.ledger)),
    sites: distinct(findings.flatMap((finding) => finding.sites)).slice(0, MOST_SITES),
  };
}

function sentence(text: string): string {
  const line = oneLine(text, SENTENCE_LENGTH);
  const capital = line.charAt(0).toUpperCase() + line.slice(1);
  return /[.!?…]$/.test(capital) ? capital : `${capital}.`;
}

function rowsOf(rows: readonly number[]): number[] {
  return [...new Set(rows)].sort((a, b) => a - b).slice(0, MOST_ROWS);
}

function distinct(sites: readonly Site[]): Site[] {
  return [...new Map(sites.map((site) => [`${site.line}:${site.column}`, site])).values()];
}

/** Foreign text as it may stand in a sentence. */
export function quote(text: string): string {
  return oneLine(text, QUOTE_LENGTH);
}

/** `0.04 s`, from milliseconds. */
export function seconds(ms: number): string {
  return `${Math.round(ms) / 1000} s`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `wait for cmd-1a2b (step 3)`. */
export function callText(step: PlannedStep): string {
  const { kind, index } = step;
  if (step.kind === 'inventory') return `inventory (step ${index})`;
  return `${kind} ${step.kind === 'wait' ? 'for' : 'of'} ${step.command} (step ${index})`;
}

/** `order m-1a2b (row 7, 0.04 s)`. */
export function orderAt({ id, row }: OwnOrder): string {
  return `order ${quote(id)} (row ${row.seq}, ${seconds(row.at)})`;
}

export function targetText({ target }: Pick<OrderState, 'target'>): string {
  return quote(JSON.stringify(target));
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}
