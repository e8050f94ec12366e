/** What a line of a verdict file says, as far as its form was verified. */
import {
  type CheckpointPredicate,
  PREDICATE_TYPES,
  type SignedLine,
  type Statement,
  type VerdictPredicate,
} from '../../../shared/src/evidence/statement.ts';

export interface LineStatement {
  /** As `PREDICATE_TYPES` has them. */
  type: string;
  kid: string;
  /** Of the file that it is about. */
  sha256: string;
  inputs: { document?: string; grant?: string; config?: string };
  /** Of a run. */
  scenario: string | null;
  verdict: string;
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
    const about = { type: statement.predicateType, kid: kidOf(line), sha256: digest.sha256 };
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

type Said = Omit<LineStatement, 'type' | 'kid' | 'sha256'>;

/** What lines of every kind that is judged have. */
interface OtherPredicate {
  inputs: LineStatement['inputs'];
  outcome: { verdict: string };
  notEstablished: string[];
}

function ofRun(subject: string, predicate: VerdictPredicate): Said {
  const { inputs, environment, run, outcome, notEstablished } = predicate;
  const broken = outcome.rules.filter(({ held }) => !held).map(({ id }) => id);
  const { engine, runtime, tier, clock } = environment;
  return {
    inputs,
    scenario: inputs.scenario,
    verdict: outcome.verdict,
    name: inputs.scenario,
    title: `${inputs.scenario} of ${subject}: ${outcome.verdict}`,
    facts: [
      broken.length === 0 ? 'every rule held' : `broken: ${broken.join(', ')}`,
      `rules ${inputs.contract}, seed ${inputs.seed}`,
      `${engine.name} ${engine.version}, ${runtime}, tier ${tier}, ${clock} clock`,
      `ran from ${run.startedAt} to ${run.endedAt}, as stated`,
    ],
    notEstablished,
  };
}

function ofCheckpoint(subject: string, predicate: CheckpointPredicate): Said {
  const { count, verdict, sequence, history, notEstablished } = predicate;
  return {
    inputs: {},
    scenario: null,
    verdict,
    name: `checkpoint ${sequence}`,
    title: `checkpoint ${sequence} of ${subject}: ${verdict}`,
    facts: [
      `seals ${count} lines above`,
      `of this file's bytes ${history.runs} runs were signed so far, ${history.failures} of them failed`,
    ],
    notEstablished,
  };
}

function ofOther(subject: string, { inputs, outcome, notEstablished }: OtherPredicate): Said {
  const { verdict } = outcome;
  const title = `about ${subject}: ${verdict}`;
  return { inputs, scenario: null, verdict, name: subject, title, facts: [], notEstablished };
}

function kidOf({ protected: header }: SignedLine<unknown>): string {
  return (JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { kid: string }).kid;
}
