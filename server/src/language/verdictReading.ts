/** What stands in a verdict file: for each line whether it is valid, stale, forged, or of a key that is not trusted. */
import type { Failure, FailureKind } from '../../../shared/src/evidence/failures.ts';
import { PREDICATE_TYPES } from '../../../shared/src/evidence/statement.ts';
import { MOST_LINES, type VerifyResult } from '../../../shared/src/evidence/verify.ts';
import type { VerdictLineState } from '../../../shared/src/protocol.ts';
import type { LineComparison } from './feature.ts';
import { type LineStatement, lineStatement } from './verdictLine.ts';

export interface JudgedLine {
  /** 0-based. */
  line: number;
  state: VerdictLineState;
  /** null: what stands there is not in the form of a line. */
  statement: LineStatement | null;
  failures: readonly Failure[];
  /** Names of files that are other ones today. */
  changed: readonly string[];
}

export const SIGNS: Record<VerdictLineState, string> = {
  valid: '✓ valid',
  stale: '○ stale',
  forged: '✗ forged',
  damaged: '✗ damaged',
  open: '✗ not whole',
  untrusted: '? untrusted',
  unknown: '? unknown rules',
};

export const MEANINGS: Record<VerdictLineState, string> = {
  valid: 'The bytes are as a trusted key signed them, and the verdict follows from its evidence.',
  stale: 'As it was signed by a trusted key, but about other files than those of today.',
  forged: 'This is not what a signer wrote: it proves nothing.',
  damaged: 'This is not in the form that a signer writes: it proves nothing.',
  open: 'The checkpoint is as it was signed, but the lines above are not those that it seals.',
  untrusted:
    'The signature is good, but its key is neither yours nor among those of loadline.trustedKeys: anybody could have made it.',
  unknown: 'The signature is good, but this version does not know the rules that it was judged by.',
};

/** What is not simply broken bytes was changed by somebody. */
const FORGERIES: ReadonlySet<FailureKind> = new Set(['signature', 'verdict', 'order', 'key']);
const INPUTS = ['document', 'grant', 'config'] as const;

export interface ToRead {
  text: string;
  /** Of verifying that text. */
  result: VerifyResult;
  /** null: no loadline.json governs the file. */
  comparison: LineComparison | null;
  /** Key ids that count. */
  trusted: { has(kid: string): boolean };
}

/** The lines of a file of which `result` says what verifying it came to; more than a signer writes are left out. */
export function judgedLines({ text, result, comparison, trusted }: ToRead): JudgedLine[] {
  const whole = result.failures.some(({ line }) => line === 0);
  const isWhole = !result.failures.some(({ kind }) => kind !== 'version');
  return text.split('\n', MOST_LINES + 1).flatMap((each, line): JudgedLine[] => {
    if (each === '') return [];
    const failures = result.failures.filter((failure) => failure.line === line + 1);
    // A line whose form failed holds anything at all.
    const isRead = !whole && !failures.some(({ kind }) => kind === 'form' || kind === 'signature');
    const statement = isRead ? lineStatement(each) : null;
    const changed = statement === null ? [] : changedSince(statement, comparison);
    const state = whole ? 'damaged' : stateOf({ failures, statement, changed }, trusted, isWhole);
    return [{ line, state, statement, failures, changed }];
  });
}

function stateOf(
  { failures, statement, changed }: Omit<JudgedLine, 'line' | 'state'>,
  trusted: ToRead['trusted'],
  isWhole: boolean,
): VerdictLineState {
  if (failures.some(({ kind }) => FORGERIES.has(kind))) return 'forged';
  if (failures.some(({ kind }) => kind !== 'version') || statement === null) return 'damaged';
  if (failures.length > 0) return 'unknown';
  if (statement.type === PREDICATE_TYPES.checkpoint && !isWhole) return 'open';
  if (!trusted.has(statement.kid)) return 'untrusted';
  return changed.length > 0 ? 'stale' : 'valid';
}

/** Names of the files that are there and not those that were judged. */
function changedSince({ sha256, inputs, type }: LineStatement, now: LineComparison | null): string[] {
  if (now === null) return [];
  const differs = (judged: string | undefined, today: string) =>
    judged !== undefined && today !== '' && judged !== today;
  const names = { document: 'the vendor document', grant: 'the grant', config: 'loadline.json' };
  const isAdapter = type === PREDICATE_TYPES.verdict || type === PREDICATE_TYPES.checkpoint;
  return [
    ...(isAdapter && differs(sha256, now.adapter) ? ['the adapter'] : []),
    ...INPUTS.flatMap((name) => (differs(inputs[name], now[name]) ? [names[name]] : [])),
  ];
}
