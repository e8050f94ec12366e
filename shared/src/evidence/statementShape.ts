/** Whether a parsed line is one of ours: every member that has to be there, and no other. */
import { faultShape } from '../contracts/evidenceShape.ts';
import {
  type Check,
  list,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  requireShape,
  text,
  truth,
  Unjudgeable,
  whole,
} from '../contracts/shape.ts';
import { isDigest } from './digest.ts';
import {
  type CheckpointStatement,
  PREDICATE_TYPES,
  type SignedLine,
  STATEMENT_TYPE,
  type VerdictEnvironment,
  type VerdictStatement,
} from './statement.ts';

const BASE_NAME = /^[^/\\\p{Cc}]{1,255}$/u;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
/** base64url of 32 bytes: the last character carries four bits, its two spare ones are 0. */
const KEY_BYTES = /^[\w-]{42}[AEIMQUYcgkosw048]$/;
const KEY_ID = /^[\w-]{43}$/;

function exact(properties: Record<string, Check>): Check {
  const shape = object(properties);
  return (value) => {
    const misfit = shape(value);
    if (misfit !== null) return misfit;
    const further = Object.keys(value as object).find((name) => !Object.hasOwn(properties, name));
    return further === undefined ? null : { path: '', text: 'has a member that does not belong there' };
  };
}

function pattern(what: string, expression: RegExp): Check {
  return (value) =>
    typeof value === 'string' && expression.test(value) ? null : { path: '', text: `has to be ${what}` };
}

const digest: Check = (value) => (isDigest(value) ? null : { path: '', text: 'has to be a SHA-256 digest' });
const time = pattern('a time in UTC (ISO 8601)', TIME);
const numbers: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { path: '', text: 'has to be an object' };
  return (
    Object.values(value)
      .map(number)
      .find((misfit) => misfit !== null) ?? null
  );
};

const key = exact({
  kty: literal('OKP'),
  crv: literal('Ed25519'),
  x: pattern('32 bytes in base64url', KEY_BYTES),
});

const subject: Check = (value) => {
  const misfit = list(exact({ name: pattern('a base name', BASE_NAME), digest: exact({ sha256: digest }) }))(
    value,
  );
  if (misfit !== null) return misfit;
  return (value as unknown[]).length === 1 ? null : { path: '', text: 'has to name one adapter' };
};

const tier = oneOf<VerdictEnvironment['tier']>({ container: true, kernel: true });
const clock = oneOf<VerdictEnvironment['clock']>({ virtual: true, real: true });

const verdictPredicate = exact({
  inputs: exact({
    document: digest,
    grant: digest,
    config: digest,
    contract: text,
    client: digest,
    guest: digest,
    base: text,
    plan: digest,
    seed: whole,
    scenario: text,
    faults: list(faultShape),
  }),
  environment: exact({
    engine: exact({ name: text, version: text }),
    runtime: text,
    tier,
    clock,
    limits: numbers,
    cannot: list(text),
    loadline: text,
  }),
  run: exact({ startedAt: time, endedAt: time, nonce: text, jti: text, key }),
  // Rules of the version that the line names say more of evidence and outcome.
  evidence: object({}),
  outcome: exact({
    verdict: oneOf<'qualified' | 'failed'>({ qualified: true, failed: true }),
    rules: list(
      exact({
        id: text,
        held: truth,
        text,
        ledger: list(whole),
        sites: list(exact({ line: whole, column: whole })),
      }),
    ),
  }),
  notEstablished: list(text),
});

const checkpointPredicate = exact({
  key,
  count: whole,
  lines: list(digest),
  verdict: oneOf<'qualified' | 'failed' | 'partial'>({ qualified: true, failed: true, partial: true }),
  sequence: whole,
  previous: nullable(digest),
  history: exact({ runs: whole, failures: whole }),
  rotatedFrom: optional(pattern('a key id', KEY_ID)),
  notEstablished: list(text),
});

function lineOf(predicateType: string, predicate: Check): Check {
  return exact({
    protected: text,
    signature: text,
    statement: exact({
      _type: literal(STATEMENT_TYPE),
      subject,
      predicateType: literal(predicateType),
      predicate,
    }),
  });
}

const verdictLine = lineOf(PREDICATE_TYPES.verdict, verdictPredicate);
const checkpointLine = lineOf(PREDICATE_TYPES.checkpoint, checkpointPredicate);

export type ParsedLine =
  | { kind: 'verdict'; line: SignedLine<VerdictStatement> }
  | { kind: 'checkpoint'; line: SignedLine<CheckpointStatement> };

/** @throws Unjudgeable, which names the place, where `value` is no line of a verdict file */
export function parsedLine(value: unknown): ParsedLine {
  if (predicateTypeOf(value) === PREDICATE_TYPES.checkpoint) {
    requireShape(checkpointLine, value, 'line');
    const line = value as SignedLine<CheckpointStatement>;
    requireCheckpoint(line.statement);
    return { kind: 'checkpoint', line };
  }
  requireShape(verdictLine, value, 'line');
  return { kind: 'verdict', line: value as SignedLine<VerdictStatement> };
}

function predicateTypeOf(value: unknown): unknown {
  const statement = (value as { statement?: { predicateType?: unknown } | null } | null)?.statement;
  return statement?.predicateType;
}

function requireCheckpoint({ predicate }: CheckpointStatement): void {
  const { sequence, previous, history, count, lines } = predicate;
  if (sequence === 0 || (sequence === 1) !== (previous === null))
    throw new Unjudgeable('The checkpoint does not say which one it replaced.');
  if (history.failures > history.runs)
    throw new Unjudgeable('The checkpoint counts more failures than runs.');
  if (count !== lines.length) throw new Unjudgeable('The checkpoint counts other lines than it lists.');
}
