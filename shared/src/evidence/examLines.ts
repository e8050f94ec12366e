/** Lines that say how the hand-ins of an exam did. */
import type { Contract } from '../contracts/contract.ts';
import { contractByVersion } from '../contracts/index.ts';
import { list, nullable, oneOf, text, Unjudgeable, whole } from '../contracts/shape.ts';
import {
  type ExamEvidence,
  type ExamHandIn,
  type ExamRun,
  heldBack,
  inOrder,
  isHandIn,
  judgeExam,
  type RefusedHandIn,
  withinLimit,
} from '../exam.ts';
import { sameJson } from '../sameJson.ts';
import { examExcess } from './bounds.ts';
import { canonical } from './canonical.ts';
import { canonicalDigest } from './digest.ts';
import { Refused } from './failures.ts';
import type { LineRules } from './lineRules.ts';
import { EXAM_LINE_NOT_ESTABLISHED, EXAM_NOT_ESTABLISHED } from './notEstablished.ts';
import { examSeeds } from './seed.ts';
import { clock, digest, exact, fileVerdict, key, numbers, runVerdict, tier, time } from './shapeParts.ts';
import type { ExamPredicate, ExamStatement } from './statement.ts';
import { statementOf } from './statements.ts';

const runOutcome = oneOf<ExamRun['verdict']>({ ...runVerdict, not_run: true });

const predicate = exact({
  inputs: exact({
    ...{ document: digest, grant: digest, config: digest, client: digest, guest: digest, paper: digest },
    ...{ contract: text, base: text },
  }),
  environment: exact({
    engine: exact({ name: text, version: text }),
    ...{ runtime: text, tier, clock, limits: numbers, cannot: list(text), loadline: text },
  }),
  run: exact({ startedAt: time, endedAt: time, nonce: text, key }),
  evidence: exact({
    limit: whole,
    seeds: list(whole),
    handIns: list(
      exact({
        file: text,
        sha256: nullable(digest),
        runs: list(
          exact({
            ...{ scenario: text, seed: whole, verdict: runOutcome },
            ...{ broken: list(text), evidence: nullable(digest) },
          }),
        ),
        checkpoint: digest,
      }),
    ),
    refused: list(exact({ file: text, why: oneOf<RefusedHandIn['why']>({ limit: true, form: true }) })),
  }),
  outcome: exact({
    verdict: oneOf(fileVerdict),
    marks: list(exact({ file: text, verdict: runOutcome, held: whole, failed: whole, notRun: whole })),
  }),
  notEstablished: list(text),
});

/** A hand-in with the checkpoint over what became of it. */
export async function sealedHandIn(handIn: Omit<ExamHandIn, 'checkpoint'>): Promise<ExamHandIn> {
  const { file, sha256, runs } = handIn;
  return { file, sha256, runs, checkpoint: await canonicalDigest({ file, sha256, runs }) };
}

/** The statement of one exam. @throws Unjudgeable where its marks do not follow */
export async function examStatement(
  parts: Omit<ExamPredicate, 'outcome' | 'notEstablished'>,
): Promise<ExamStatement> {
  const contract = contractByVersion(parts.inputs.contract);
  if (contract === undefined)
    throw new Unjudgeable(`The rules of ${parts.inputs.contract} are not known here.`);
  const wrong = examExcess(parts.evidence) ?? (await flawOf(parts, contract));
  if (wrong !== null) throw new Unjudgeable(wrong);
  return statementOf({ name: 'loadline.json', sha256: parts.inputs.config }, 'exam', {
    ...parts,
    outcome: judgeExam(parts.evidence),
    notEstablished: [...EXAM_LINE_NOT_ESTABLISHED],
  });
}

/** Why no marks follow from the evidence: a sentence, or null. */
async function flawOf(
  { run, evidence }: Pick<ExamPredicate, 'run' | 'evidence'>,
  contract: Contract,
): Promise<string | null> {
  const { seeds, handIns } = evidence;
  if (!sameJson(seeds, await examSeeds(run.nonce, contract.version, seeds.length)) || seeds.length === 0)
    return 'The seeds are not those that follow from the nonce.';
  const listed = listFlaw(evidence);
  if (listed !== null) return listed;
  for (const handIn of handIns) {
    if (!areRunsOf(handIn, seeds, contract))
      return `The runs of ${handIn.file} are not those of every scenario held back under every seed.`;
    if ((await sealedHandIn(handIn)).checkpoint !== handIn.checkpoint)
      return `The checkpoint of ${handIn.file} is not that of its runs.`;
  }
  return null;
}

/** Hand-ins have names of their own and stand in order, and no author has more than may be. */
function listFlaw({ limit, handIns, refused }: ExamEvidence): string | null {
  const files = handIns.map(({ file }) => file);
  const beyond = refused.filter(({ why }) => why === 'limit').map(({ file }) => file);
  const all = [...files, ...beyond];
  if (!all.every(isHandIn) || new Set(all).size !== all.length || !sameJson(files, inOrder(files)))
    return 'The hand-ins are not named and ordered as they have to be.';
  return sameJson(withinLimit(all, limit).graded, files)
    ? null
    : `Not the first ${limit} hand-ins of each author are graded.`;
}

function areRunsOf({ sha256, runs }: ExamHandIn, seeds: readonly number[], contract: Contract): boolean {
  if (sha256 === null) return runs.length === 0;
  const asked = seeds.flatMap((seed) => heldBack(contract).map((scenario) => ({ scenario, seed })));
  const ran = runs.map(({ scenario, seed }) => ({ scenario, seed }));
  const rules = contract.rules.map(({ id }) => id);
  return sameJson(asked, ran) && runs.every((run) => isWhole(run, rules));
}

/** A failed run has broken rules of the contract, in its order; the others have none. What ran has evidence. */
function isWhole({ verdict, broken, evidence }: ExamRun, rules: readonly string[]): boolean {
  const known = sameJson(
    broken,
    rules.filter((id) => broken.includes(id)),
  );
  return (
    known && (verdict === 'failed') === broken.length > 0 && (verdict === 'not_run') === (evidence === null)
  );
}

async function requireFollows({ subject, predicate: said }: ExamStatement): Promise<void> {
  const contract = contractByVersion(said.inputs.contract);
  if (contract === undefined)
    throw new Refused(
      'version',
      'This version does not know the rules that the line names, so it cannot mark it again; verify with the version of Loadline that the line names.',
    );
  const excess = examExcess(said.evidence);
  if (excess !== null) throw new Refused('form', excess);
  if (subject[0].name !== 'loadline.json' || subject[0].digest.sha256 !== said.inputs.config)
    throw new Refused('verdict', 'The line is not about the loadline.json that it names.');
  if (!said.evidence.refused.every(isSaidRefused))
    throw new Refused('form', 'The evidence is not in the form in which it is signed.');
  const flaw = await flawOf(said, contract);
  if (flaw !== null) throw new Refused('verdict', flaw);
  if (!sameJson(judgeExam(said.evidence), said.outcome))
    throw new Refused('verdict', 'The marks are not what follows from the runs.');
}

/** A name that no hand-in may have is foreign text: its digest is signed in its place. */
export async function refusedAsSigned({ file, why }: RefusedHandIn): Promise<RefusedHandIn> {
  return { file: isHandIn(file) ? file : `sha256:${await canonicalDigest(file)}`, why };
}

function isSaidRefused({ file }: RefusedHandIn): boolean {
  return isHandIn(file) || /^sha256:[0-9a-f]{64}$/.test(file);
}

export const examRules: LineRules<ExamStatement> = {
  predicate,
  notEstablished: EXAM_NOT_ESTABLISHED,
  aboutAdapter: false,
  isKnown: ({ predicate: { inputs } }) => contractByVersion(inputs.contract) !== undefined,
  nameOf: () => 'exam',
  compare: () => 0,
  // No two exams share a file: the one before goes to the history, so that none is lost without a trace.
  sharedFacts: ({ subject, predicate: { run } }) => canonical({ subject, nonce: run.nonce }),
  verdictOf: ([first, ...others]) =>
    first === undefined || others.length > 0 ? 'partial' : first.predicate.outcome.verdict,
  requireFollows,
};
