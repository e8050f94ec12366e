/** What is wrong with a verdict file: the kinds are fixed words that CI jobs look for. */
export type FailureKind =
  /** Its bytes are not those that the signer writes. */
  | 'form'
  | 'signature'
  /** A key that is not trusted, or one that the checkpoint does not name. */
  | 'key'
  /** Something that the checkpoint lists is not there, or there is no checkpoint. */
  | 'missing'
  /** Something stands where the checkpoint does not have it. */
  | 'order'
  /** A verdict does not follow from its evidence. */
  | 'verdict'
  /** A file changed since. */
  | 'stale'
  | 'partial'
  | 'older'
  /** Rules that this version does not know: cannot be rebuilt, which does not mean forged. */
  | 'version'
  | 'expect';

export interface Failure {
  /** From 1; 0: the file as a whole. */
  line: number;
  kind: FailureKind;
  /** One sentence. */
  text: string;
}

/** A check that failed; caught where the line's number is known. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, text: string) {
    super(text);
    this.kind = kind;
  }
}
