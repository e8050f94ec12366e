/** Statements as they are signed, and the lines that hold them. */
import { contractByVersion } from '../contracts/index.ts';
import { Unjudgeable } from '../contracts/shape.ts';
import type { Json } from '../json.ts';
import { judge } from '../judge.ts';
import { sameJson } from '../sameJson.ts';
import { runExcess } from './bounds.ts';
import { canonical } from './canonical.ts';
import { canonicalDigest } from './digest.ts';
import type { Evidence, FaultSchedule, Judgement } from './evidence.ts';
import { normalise } from './normalise.ts';
import { CHECKPOINT_NOT_ESTABLISHED, VERDICT_NOT_ESTABLISHED } from './notEstablished.ts';
import { seedOf } from './seed.ts';
import {
  type CheckpointPredicate,
  type CheckpointStatement,
  type LineKind,
  PREDICATE_TYPES,
  type SignedLine,
  STATEMENT_TYPE,
  type Statement,
  type VerdictEnvironment,
  type VerdictInputs,
  type VerdictPredicate,
  type VerdictRun,
  type VerdictStatement,
} from './statement.ts';

/** The file that a line is about: an adapter; of a probe, loadline.json. */
export interface Subject {
  /** Base name of its file. */
  name: string;
  /** Of its bytes on disk. */
  sha256: string;
}

export interface VerdictParts {
  subject: Subject;
  inputs: Omit<VerdictInputs, 'plan' | 'seed' | 'scenario' | 'faults'>;
  environment: VerdictEnvironment;
  run: VerdictRun;
  /** As the runner gathered it. */
  evidence: Evidence;
}

/**
 * The statement of one run: evidence normalised, judged again from that, inputs taken from its plan.
 * @throws Unjudgeable where no verdict follows from the evidence, where its plan is not the signed run's, or where
 * normalising it would change what the rules say
 */
export async function verdictStatement(parts: VerdictParts): Promise<VerdictStatement> {
  const { subject, inputs, environment, run, evidence } = parts;
  const contract = contractByVersion(inputs.contract);
  if (contract === undefined || contract.id !== evidence.contract)
    throw new Unjudgeable(`The rules of ${inputs.contract} are not those of this evidence.`);
  const excess = runExcess(evidence);
  if (excess !== null) throw new Unjudgeable(excess);
  const asRun = judge(evidence);
  const kept = await normalise(evidence, contract.words);
  const outcome = judge(kept);
  if (!sameOutcome(asRun, outcome))
    throw new Unjudgeable('The evidence cannot be kept without changing what the rules say of it.');
  const plan = planFacts(kept);
  if (plan.seed !== (await seedOf(subject.sha256, contract.version)))
    throw new Unjudgeable("The seed is not the one that follows from the adapter's digest and the contract.");
  const predicate: VerdictPredicate = {
    inputs: { ...inputs, ...plan, plan: await canonicalDigest(kept.plan) },
    environment,
    run,
    evidence: kept,
    outcome,
    notEstablished: [...VERDICT_NOT_ESTABLISHED],
  };
  return statementOf(subject, 'verdict', predicate);
}

/** Whether two judgements say the same of each rule; their sentences may quote a text in one and its digest in the other. */
export function sameOutcome(a: Judgement, b: Judgement): boolean {
  const withoutTexts = ({ verdict, rules }: Judgement) => ({
    verdict,
    rules: rules.map(({ id, held, ledger, sites }) => ({ id, held, ledger, sites })),
  });
  return sameJson(withoutTexts(a), withoutTexts(b));
}

/** What a judged plan says of itself. */
export function planFacts({ plan }: Evidence): { scenario: string; seed: number; faults: FaultSchedule } {
  const { scenario, seed, faults } = plan as { scenario: string; seed: number; faults: Json };
  return { scenario, seed, faults: faults as unknown as FaultSchedule };
}

/** The statement of a checkpoint over the lines before it. */
export function checkpointStatement(
  subject: Subject,
  parts: Omit<CheckpointPredicate, 'notEstablished' | 'count'>,
): CheckpointStatement {
  return statementOf(subject, 'checkpoint', {
    ...parts,
    count: parts.lines.length,
    notEstablished: [...CHECKPOINT_NOT_ESTABLISHED],
  });
}

/** A statement about a file whose line is of that kind. */
export function statementOf<P>({ name, sha256 }: Subject, kind: LineKind, predicate: P): Statement<P> {
  const subject: Statement<P>['subject'] = [{ name, digest: { sha256 } }];
  return { _type: STATEMENT_TYPE, subject, predicateType: PREDICATE_TYPES[kind], predicate };
}

/** What lines of one qualification have in common: adapter, inputs (scenario apart) and environment, in canonical form. */
export function sharedFacts({ subject, predicate }: VerdictStatement): string {
  const { plan: _plan, scenario: _scenario, faults: _faults, ...inputs } = predicate.inputs;
  return canonical({ subject, inputs, environment: predicate.environment });
}

/** The verdict that follows from the lines of a file: see `CheckpointPredicate.verdict`. */
export function verdictOfLines(lines: readonly VerdictStatement[]): CheckpointPredicate['verdict'] {
  if (lines.some(({ predicate }) => predicate.outcome.verdict === 'failed')) return 'failed';
  const [first] = lines;
  const contract = first === undefined ? undefined : contractByVersion(first.predicate.inputs.contract);
  if (contract === undefined || new Set(lines.map(sharedFacts)).size !== 1) return 'partial';
  const scenarios = lines.map(({ predicate }) => predicate.inputs.scenario);
  const whole =
    scenarios.length === contract.scenarios.length &&
    contract.scenarios.every(({ id }) => scenarios.includes(id));
  return whole ? 'qualified' : 'partial';
}

/** The line of a signed statement, without its LF: RFC 8785 canonical form. */
export function lineText(line: SignedLine<Statement<unknown>>): string {
  return canonical({ protected: line.protected, signature: line.signature, statement: line.statement });
}
