/** What stands where a signed file is to be written: a file of our own, or something that is not ours to change. */
import type { CheckpointStatement, JudgedStatement } from '../../../shared/src/evidence/statement.ts';
import { verifyBytes } from '../../../shared/src/evidence/verify.ts';

export interface JudgedLine {
  /** In canonical form, without its LF. */
  text: string;
  statement: JudgedStatement;
  kid: string;
}

export interface OwnFile {
  lines: JudgedLine[];
  /** `digest`: SHA-256 of its line. */
  checkpoint: { statement: CheckpointStatement; kid: string; digest: string };
}

export type Existing =
  | { kind: 'none' }
  | { kind: 'own'; file: OwnFile }
  /** `why`: half a sentence, for people. */
  | { kind: 'foreign'; why: string };

const CONFLICT = /^(<{7}|={7}|>{7})/m;

/** `ownKeys`: ids of the keys that a person has and had. */
export async function readExisting(bytes: Buffer | null, ownKeys: readonly string[]): Promise<Existing> {
  if (bytes === null) return { kind: 'none' };
  const trusted = new Set([...ownKeys, ...mergedInto(bytes, ownKeys)]);
  const { failures, checkpoint } = await verifyBytes(bytes, { trusted, partial: true });
  // Rules that this version does not know make a file old, not forged.
  const failure = failures.find(({ kind }) => kind !== 'version');
  const text = bytes.toString('utf8');
  if (failure !== undefined || checkpoint === null) {
    if (CONFLICT.test(text)) return { kind: 'foreign', why: 'it holds the markers of a merge conflict.' };
    const { kind, line, text: said } = failure ?? { kind: 'form', line: 0, text: 'It has no checkpoint.' };
    return { kind: 'foreign', why: `it is not one that your key signed (${kind}, line ${line}): ${said}` };
  }
  return { kind: 'own', file: verifiedFile(text, checkpoint) };
}

/** Lines and checkpoint of a file that was verified; `checkpoint`: digest of its last line. */
export function verifiedFile(text: string, checkpoint: string): OwnFile {
  const texts = text.slice(0, -1).split('\n');
  const seal = signed<CheckpointStatement>(texts.at(-1) ?? '');
  const lines = texts.slice(0, -1).map((line) => ({ text: line, ...signed<JudgedStatement>(line) }));
  return { lines, checkpoint: { ...seal, digest: checkpoint } };
}

/** Keys whose lines one's own checkpoint took in; that it is a checkpoint, and one's own, is verified afterwards. */
function mergedInto(bytes: Buffer, ownKeys: readonly string[]): readonly string[] {
  try {
    const last = bytes.subarray(bytes.lastIndexOf('\n', -2) + 1).toString('utf8');
    const { kid, statement } = signed<CheckpointStatement>(last);
    const { mergedFrom } = statement.predicate;
    return ownKeys.includes(kid) && Array.isArray(mergedFrom) ? mergedFrom : [];
  } catch {
    return [];
  }
}

/** Statement and key id of a line that was verified. */
function signed<S>(text: string): { statement: S; kid: string } {
  const { statement, protected: header } = JSON.parse(text);
  return { statement, kid: JSON.parse(Buffer.from(header, 'base64url').toString('utf8')).kid };
}
