/** Probe files made in-process: a probe in which everything on the list was tried, signed with a key of the test's own. */
import { sha256 } from '../../shared/src/evidence/digest.ts';
import { type SigningKey, signStatement } from '../../shared/src/evidence/jws.ts';
import { rulesOfKind } from '../../shared/src/evidence/lineKinds.ts';
import { probeStatement } from '../../shared/src/evidence/probeLines.ts';
import type {
  CheckpointPredicate,
  ProbeInputs,
  ProbePredicate,
  ProbeStatement,
} from '../../shared/src/evidence/statement.ts';
import { checkpointStatement, lineText } from '../../shared/src/evidence/statements.ts';
import { PROBE_RULES, type ProbeAttempt, type ProbeEvidence } from '../../shared/src/probe.ts';
import { PROBE_ATTEMPTS } from '../../shared/src/probeAttempts.ts';
import { PROBE_VERSION } from '../../shared/src/probeRules.ts';
import { checkpointLine } from './verdictFiles.ts';

export const CONFIG = '{"contract":"fleet/1"}\n';

/** Every attempt of the list refused, but for what `change` makes of it (null: it was not tried). */
export function probeEvidence(
  change: (attempt: ProbeAttempt) => ProbeAttempt | null = (attempt) => attempt,
): ProbeEvidence {
  const attempts = PROBE_RULES.flatMap(({ id: rule }) =>
    PROBE_ATTEMPTS[rule].flatMap((id): ProbeAttempt[] => {
      const attempt = change({ rule, id, outcome: 'refused', text: id === 'clone' ? 'error 1' : '' });
      return attempt === null ? [] : [attempt];
    }),
  );
  return { filter: 'ours', attempts, notTried: [] };
}

export async function probeInputs(): Promise<ProbeInputs> {
  return {
    ...{ document: await sha256('document'), grant: await sha256('grant'), config: await sha256(CONFIG) },
    ...{ client: await sha256('client'), guest: await sha256('guest'), prober: await sha256('prober') },
    ...{ helper: await sha256('helper'), base: `sha256:${await sha256('base')}`, rules: PROBE_VERSION },
  };
}

export function probeEnvironment(runtime: string): ProbePredicate['environment'] {
  return {
    ...{ engine: { name: 'Docker', version: '20.10.24' }, runtime },
    ...{ tier: runtime === 'runsc' ? 'kernel' : 'container', limits: { pids: 64 }, cannot: [] },
    loadline: '0.1.0',
  };
}

export async function probeStatementOf(
  runtime: string,
  evidence: ProbeEvidence,
  key: SigningKey,
): Promise<ProbeStatement> {
  return probeStatement({
    inputs: await probeInputs(),
    environment: probeEnvironment(runtime),
    run: {
      ...{ startedAt: '2026-01-05T10:00:00.000Z', endedAt: '2026-01-05T10:00:20.000Z' },
      ...{ nonce: 'bm9uY2U', key: key.publicKey },
    },
    evidence,
  });
}

export async function probeLine(statement: ProbeStatement, key: SigningKey): Promise<string> {
  return lineText(await signStatement('probe', statement, key));
}

/** The checkpoint over probe lines, as a signer makes it but for what `changes` says. */
export async function sealedProbe(
  lines: readonly string[],
  key: SigningKey,
  changes: Partial<CheckpointPredicate> = {},
): Promise<string> {
  const statements = lines.map((line) => (JSON.parse(line) as { statement: ProbeStatement }).statement);
  const failed = statements.filter(({ predicate }) => predicate.outcome.verdict === 'failed');
  const statement = checkpointStatement(
    { name: 'loadline.json', sha256: await sha256(CONFIG) },
    {
      key: key.publicKey,
      lines: await Promise.all(lines.map((line) => sha256(line))),
      verdict: rulesOfKind('probe').verdictOf(statements),
      ...{ sequence: 1, previous: null },
      history: { runs: lines.length, failures: failed.length },
    },
  );
  Object.assign(statement.predicate, changes);
  return checkpointLine(statement, key);
}
