/** Verdict files made in-process: scripted runs on the real order engine, signed with a key of the test's own. */
import { exportJWK, generateKeyPair } from 'jose';
import { fleet } from '../../shared/src/contracts/fleet/contract.ts';
import { sha256 } from '../../shared/src/evidence/digest.ts';
import type { Evidence } from '../../shared/src/evidence/evidence.ts';
import { type SigningKey, signStatement, thumbprint } from '../../shared/src/evidence/jws.ts';
import { seedOf } from '../../shared/src/evidence/seed.ts';
import type {
  CheckpointPredicate,
  CheckpointStatement,
  PublicKey,
  VerdictStatement,
} from '../../shared/src/evidence/statement.ts';
import {
  checkpointStatement,
  lineText,
  verdictOfLines,
  verdictStatement,
} from '../../shared/src/evidence/statements.ts';
import { right } from '../unit/fleet/behaviours.ts';
import { type Behaviour, Rig } from '../unit/fleet/rig.ts';

export const ADAPTER = "'use strict';\n// stands for the file that was run\nmodule.exports = {};\n";
export const scenarios: readonly string[] = fleet.scenarios.map(({ id }) => id);

export async function newKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const { x = '' } = await exportJWK(publicKey);
  const key: PublicKey = { kty: 'OKP', crv: 'Ed25519', x };
  return { privateKey, publicKey: key, kid: await thumbprint(key) };
}

/** Evidence of a scripted run of that scenario, under the seed that a signed run of that adapter has. */
export async function evidenceOf(
  scenario: string,
  behaviour: Behaviour = right(),
  adapter = ADAPTER,
): Promise<Evidence> {
  const seed = await seedOf(await sha256(adapter), fleet.version);
  return new Rig(fleet.plan(scenario, seed)).run(behaviour);
}

export async function statementOf(
  evidence: Evidence,
  key: SigningKey,
  adapter = ADAPTER,
): Promise<VerdictStatement> {
  const digest = (text: string) => sha256(text);
  return verdictStatement({
    subject: { name: 'adapter.js', sha256: await sha256(adapter) },
    inputs: {
      document: await digest('document'),
      grant: await digest('grant'),
      config: await digest('config'),
      contract: fleet.version,
      client: await digest('client'),
      guest: await digest('guest'),
      base: `sha256:${await digest('base')}`,
    },
    environment: {
      engine: { name: 'docker', version: '20.10.24' },
      runtime: 'runc',
      tier: 'container',
      clock: 'virtual',
      limits: { memoryBytes: 268_435_456, pids: 64 },
      cannot: [],
      loadline: '0.1.0',
    },
    run: {
      startedAt: '2026-01-05T10:00:00.000Z',
      endedAt: '2026-01-05T10:00:01.250Z',
      nonce: 'bm9uY2U',
      jti: '6f1c0b52-33f5-4a0e-9d0c-3a1f1f1f2b11',
      key: key.publicKey,
    },
    evidence,
  });
}

export async function verdictLine(statement: VerdictStatement, key: SigningKey): Promise<string> {
  return lineText(await signStatement('verdict', statement, key));
}

export async function checkpointLine(statement: CheckpointStatement, key: SigningKey): Promise<string> {
  return lineText(await signStatement('checkpoint', statement, key));
}

/** The checkpoint over some lines, as a signer makes it but for what `changes` says. */
export async function sealed(
  lines: readonly string[],
  key: SigningKey,
  changes: Partial<CheckpointPredicate> = {},
): Promise<string> {
  const statements = lines.map((line) => (JSON.parse(line) as { statement: VerdictStatement }).statement);
  const [subject] = statements[0]?.subject ?? [
    { name: 'adapter.js', digest: { sha256: await sha256(ADAPTER) } },
  ];
  const failures = statements.filter(({ predicate }) => predicate.outcome.verdict === 'failed').length;
  const statement = checkpointStatement(
    { name: subject.name, sha256: subject.digest.sha256 },
    {
      key: key.publicKey,
      lines: await Promise.all(lines.map((line) => sha256(line))),
      verdict: verdictOfLines(statements),
      sequence: 1,
      previous: null,
      history: { runs: lines.length, failures },
    },
  );
  Object.assign(statement.predicate, changes);
  return checkpointLine(statement, key);
}

export function fileOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** A line for each scenario, the checkpoint apart. */
export async function verdictLines(
  key: SigningKey,
  behaviour: () => Behaviour = right,
  adapter = ADAPTER,
): Promise<string[]> {
  const lines: string[] = [];
  for (const scenario of scenarios) {
    const evidence = await evidenceOf(scenario, behaviour(), adapter);
    lines.push(await verdictLine(await statementOf(evidence, key, adapter), key));
  }
  return lines;
}
