/** What a line of a verdict file says, as far as its form was verified. */
import {
  type CheckpointPredicate,
  PREDICATE_TYPES,
  type PublicKey,
  type SignedLine,
  type Statement,
  type VerdictPredicate,
} from '../../../shared/src/evidence/statement.ts';

export interface LineStatement {
  /** As `PREDICATE_TYPES` has them. */
  type: string;
  kid: string;
  /** Its public key, whose thumbprint that is. */
  key: PublicKey;
  /** Of the file that it is about: foreign text. */
  subject: string;
  sha256: string;
  inputs: { document?: string; grant?: string; config?: string };
  /** Of a run. */
  scenario: string | null;
  /** Of a run: its id. */
  run: string | null;
  /** As stated; null: it states no time. Foreign text. */
  endedAt: string | null;
  verdict: string;
  /** Foreign text. */
  broken: { id: string; text: string }[];
  /** Short, for a title: foreign text. */
  name: string;
  /** What it says in a few words: foreign text. */
  title: string;
  /** Sentences: foreign text. */
  facts: string[];
  /** What it leaves open, as it says itself: foreign text. */
  notEstablished: string[];
}

/** Of a line, given without its LF, that was read as one of ours; null: it is none. */
export function lineStatement(text: string): LineStatement | null {
  try {
    const line = JSON.parse(text) as SignedLine<Statement<unknown>>;
    const { statement } = line;
    const [{ name, digest }] = statement.subject;
    const about = { type: statement.predicateType, kid: kidOf(line), subject: name, sha256: digest.sha256 };
    switch (statement.predicateType) {
      case PREDICATE_TYPES.verdict:
        return { ...about, ...ofRun(name, statement.predicate as VerdictPredicate) };
      case PREDICATE_TYPES.checkpoint:
        return { ...about, ...ofCheckpoint(name, statement.predicate as CheckpointPredicate) };
      default:
        return { ...about, ...ofOther(name, statement.predicate as OtherPredicate) };
    }
  } catch {
    return null;
  }
}

type Said = Omit<LineStatement, 'type' | 'kid' | 'subject' | 'sha256'>;

/** What lines of every kind that is judged have. */
interface OtherPredicate {
  inputs: LineStatement['inputs'];
  run: { endedAt: string; key: PublicKey };
  outcome: { verdict: string; rules: readonly { id: string; held: boolean; text: string }[] };
  notEstablished: string[];
}

function ofRun(subject: string, predicate: VerdictPredicate): Said {
  const { inputs, environment, run, outcome, notEstablished } = predicate;
  const broken = brokenOf(outcome);
  const { engine, runtime, tier, clock } = environment;
  return {
    inputs,
    key: run.key,
    scenario: inputs.scenario,
    run: run.jti,
    endedAt: run.endedAt,
    verdict: outcome.verdict,
    broken,
    name: inputs.scenario,
    title: `${inputs.scenario} of ${subject}: ${outcome.verdict}`,
    facts: [
      broken.length === 0 ? 'every rule held' : `broken: ${broken.map(({ id }) => id).join(', ')}`,
      `rules ${inputs.contract}, seed ${inputs.seed}`,
      `${engine.name} ${engine.version}, ${runtime}, tier ${tier}, ${clock} clock`,
      `ran from ${run.startedAt} to ${run.endedAt}, as stated`,
    ],
    notEstablished,
  };
}

function ofCheckpoint(subject: string, predicate: CheckpointPredicate): Said {
  const { key, count, verdict, sequence, history, notEstablished } = predicate;
  return {
    inputs: {},
    key,
    scenario: null,
    run: null,
    endedAt: null,
    verdict,
    broken: [],
    name: `checkpoint ${sequence}`,
    title: `checkpoint ${sequence} of ${subject}: ${verdict}`,
    facts: [
      `seals ${count} lines above`,
      `of this file's bytes ${history.runs} runs were signed so far, ${history.failures} of them failed`,
    ],
    notEstablished,
  };
}

function ofOther(subject: string, { inputs, run, outcome, notEstablished }: OtherPredicate): Said {
  const { verdict } = outcome;
  return {
    inputs,
    key: run.key,
    scenario: null,
    run: null,
    endedAt: run.endedAt,
    verdict,
    broken: brokenOf(outcome),
    name: subject,
    title: `about ${subject}: ${verdict}`,
    facts: [],
    notEstablished,
  };
}

function brokenOf({ rules }: OtherPredicate['outcome']): LineStatement['broken'] {
  return rules.filter(({ held }) => !held).map(({ id, text }) => ({ id, text }));
}

function kidOf({ protected: header }: SignedLine<unknown>): string {
  return (JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { kid: string }).kid;
}
