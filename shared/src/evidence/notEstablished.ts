/** What signatures and judging again cannot show: said in every line, and by whoever verifies it. */

const KEY = 'Nothing vouches for the key: whose it is has to be known from elsewhere.';
const NEWEST = 'That this is the newest file of its subject cannot be seen from the file.';

/** Of a run, by whose account it is known. */
export const RUN_NOT_ESTABLISHED: readonly string[] = [
  'What the guest says is a claim: the values returned, the places in the code, and that module.exports did it and not other code of the file.',
  "The ledger is the vendor's account as it was read.",
  "Ledger, trace, tier and image are the runner's word, which judging again cannot prove.",
  "The clock is the host's, and times are stated, not proven.",
];

/** Of a probe. */
export const PROBE_NOT_ESTABLISHED: readonly string[] = [
  'That nothing else gets through: only what was tried is shown.',
  "Where nothing on the host shows an attempt, what became of it is the container's own word.",
  "Attempts, tier, filter and image are the runner's word, which judging again cannot prove.",
  "The clock is the host's, and times are stated, not proven.",
];

/** Of an exam. */
export const EXAM_NOT_ESTABLISHED: readonly string[] = [
  'The line has the digest of the evidence of each run, not the evidence: that the broken rules follow from it is the word of the signer, which judged it again.',
  'That the nonce, and with it the seeds, was drawn when the exam began is the word of the signer.',
  'Who wrote a hand-in: an author is the name that it was handed in under.',
  ...RUN_NOT_ESTABLISHED,
];

/** Of a verdict line. */
export const VERDICT_NOT_ESTABLISHED: readonly string[] = [...RUN_NOT_ESTABLISHED, KEY, NEWEST];

/** Of a probe line. */
export const PROBE_LINE_NOT_ESTABLISHED: readonly string[] = [...PROBE_NOT_ESTABLISHED, KEY, NEWEST];

/** Of an exam line. */
export const EXAM_LINE_NOT_ESTABLISHED: readonly string[] = [...EXAM_NOT_ESTABLISHED, KEY, NEWEST];

/** Of a checkpoint line, beside what is said in the lines it seals. */
export const CHECKPOINT_NOT_ESTABLISHED: readonly string[] = [KEY, NEWEST];

export interface Established {
  /** Every key is one that the reader trusts. */
  trusted: boolean;
  /** The reader knows which checkpoint is the oldest that may be. */
  atLeast: boolean;
  /** What lines of this kind leave open. */
  ofItsKind: readonly string[];
  /** The adapter's file was there to be compared, or the lines are about none. */
  adapterAtHand: boolean;
  /** Only one line was looked at: its number. */
  line: number | null;
}

/** What a verification leaves open. */
export function leftOpen({ trusted, atLeast, ofItsKind, adapterAtHand, line }: Established): string[] {
  return [
    ...(line === null
      ? []
      : [`Only line ${line} was looked at: that the file is whole, and its verdict, are not shown.`]),
    ...ofItsKind,
    ...(trusted ? [] : [KEY]),
    ...(atLeast && line === null ? [] : [NEWEST]),
    ...(adapterAtHand ? [] : ['That the adapter has not changed since: its file was not at hand.']),
  ];
}
