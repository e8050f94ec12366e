/** What signatures and judging again cannot show: said in every line, and by whoever verifies it. */

const KEY = 'Nothing vouches for the key: whose it is has to be known from elsewhere.';
const NEWEST = 'That this is the newest file of its adapter cannot be seen from the file.';

const RUN: readonly string[] = [
  'What the guest says is a claim: the values returned, the places in the code, and that module.exports did it and not other code of the file.',
  "The ledger is the vendor's account as it was read.",
  "Ledger, trace, tier and image are the runner's word, which judging again cannot prove.",
  "The clock is the host's, and times are stated, not proven.",
];

/** Of a verdict line. */
export const VERDICT_NOT_ESTABLISHED: readonly string[] = [...RUN, KEY, NEWEST];

/** Of a checkpoint line, beside what is said in the lines it seals. */
export const CHECKPOINT_NOT_ESTABLISHED: readonly string[] = [KEY, NEWEST];

export interface Established {
  /** Every key is one that the reader trusts. */
  trusted: boolean;
  /** The reader knows which checkpoint is the oldest that may be. */
  atLeast: boolean;
  /** The adapter's file was there to be compared. */
  adapterAtHand: boolean;
  /** Only one line was looked at: its number. */
  line: number | null;
}

/** What a verification leaves open. */
export function leftOpen({ trusted, atLeast, adapterAtHand, line }: Established): string[] {
  return [
    ...(line === null
      ? []
      : [`Only line ${line} was looked at: that the file is whole, and its verdict, are not shown.`]),
    ...RUN,
    ...(trusted ? [] : [KEY]),
    ...(atLeast && line === null ? [] : [NEWEST]),
    ...(adapterAtHand ? [] : ['That the adapter has not changed since: its file was not at hand.']),
  ];
}
