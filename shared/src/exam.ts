/**
 * An exam: hand-ins of authors, graded over the scenarios that practice does not show and over seeds that nobody knew.
 * The rules by which marks follow from what ran. Pure.
 */
import type { Contract } from './contracts/contract.ts';

/** Hand-ins that one author may have graded, where nobody says another number. */
export const HAND_INS = 3;
/** Of one exam, over all authors. */
export const MOST_HAND_INS = 200;
/** Of one exam. */
export const MOST_SEEDS = 16;
/** Seeds of an exam where nobody says how many. */
export const SEEDS = 2;

/** One run of a hand-in, without what it was judged from. */
export interface ExamRun {
  scenario: string;
  seed: number;
  verdict: 'qualified' | 'failed' | 'not_run';
  /** Ids of the broken rules, in the contract's order; of `failed` at least one. */
  broken: string[];
  /** SHA-256 of the canonical form of the normalised evidence; null: it did not run. */
  evidence: string | null;
}

export interface ExamHandIn {
  /** As the graded folder names it: `<author>/<name>.js` or `<author>.js`. */
  file: string;
  /** Of its bytes; null: it cannot be read as an adapter, so it is failed without a run. */
  sha256: string | null;
  /** Seed by seed, each with the scenarios in the contract's order. */
  runs: ExamRun[];
  /** SHA-256 of the canonical form of the three before. */
  checkpoint: string;
}

export interface RefusedHandIn {
  file: string;
  /** `limit`: its author handed in more than may be. `form`: it is not named as hand-ins are, or no regular file. */
  why: 'limit' | 'form';
}

export interface ExamEvidence {
  /** Hand-ins of one author that are graded. */
  limit: number;
  /** They follow from the nonce of the exam. */
  seeds: number[];
  handIns: ExamHandIn[];
  refused: RefusedHandIn[];
}

export interface ExamMark {
  file: string;
  verdict: ExamRun['verdict'];
  /** Runs of each verdict. What did not run counts neither way. */
  held: number;
  failed: number;
  notRun: number;
}

export interface ExamJudgement {
  /** `failed`: a hand-in did. `partial`: none did, and not everything ran. */
  verdict: 'qualified' | 'failed' | 'partial';
  /** In the order of the hand-ins. */
  marks: ExamMark[];
}

/** The scenario that authors may run as often as they like: the contract's first, in which nothing unusual happens. */
export function practiceScenario({ scenarios }: Contract): string | undefined {
  return scenarios[0]?.id;
}

/** Ids of the scenarios that hand-ins are graded over. */
export function heldBack({ scenarios }: Contract): string[] {
  return scenarios.slice(1).map(({ id }) => id);
}

const PART = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}';
const FILE = new RegExp(`^(?:${PART}/)?${PART}\\.js$`);

/** Whether a path in the graded folder, with `/`, names a hand-in. */
export function isHandIn(file: string): boolean {
  return FILE.test(file);
}

/** Of `<author>/<name>.js` or `<author>.js`. */
export function authorOf(file: string): string {
  const slash = file.indexOf('/');
  return slash === -1 ? file.slice(0, -'.js'.length) : file.slice(0, slash);
}

/** In the order of names, the first `limit` of each author; the others are refused. */
export function withinLimit(
  files: readonly string[],
  limit: number,
): { graded: string[]; refused: RefusedHandIn[] } {
  const counts = new Map<string, number>();
  const graded: string[] = [];
  const refused: RefusedHandIn[] = [];
  for (const file of inOrder(files)) {
    const author = authorOf(file);
    const before = counts.get(author) ?? 0;
    counts.set(author, before + 1);
    if (before < limit) graded.push(file);
    else refused.push({ file, why: 'limit' });
  }
  return { graded, refused };
}

/** By code unit, the same on every machine. */
export function inOrder(files: readonly string[]): string[] {
  return [...files].sort((a, b) => (a < b ? -1 : Number(a > b)));
}

export function judgeExam({ handIns }: Pick<ExamEvidence, 'handIns'>): ExamJudgement {
  const marks = handIns.map(markOf);
  const verdicts = marks.map(({ verdict }) => verdict);
  if (verdicts.includes('failed')) return { verdict: 'failed', marks };
  return { verdict: verdicts.includes('not_run') || marks.length === 0 ? 'partial' : 'qualified', marks };
}

function markOf({ file, sha256, runs }: ExamHandIn): ExamMark {
  const count = (verdict: ExamRun['verdict']) => runs.filter((run) => run.verdict === verdict).length;
  const [held, failed, notRun] = [count('qualified'), count('failed'), count('not_run')];
  const verdict = failed > 0 || sha256 === null ? 'failed' : notRun > 0 ? 'not_run' : 'qualified';
  return { file, verdict, held, failed, notRun };
}
