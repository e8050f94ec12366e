/** Nonces of this process: each is given once and taken once, so that no run is signed twice. */
import { randomBytes } from 'node:crypto';
import { SigningRefused } from './refused.ts';

/** More than anyone runs between two signatures. */
const MOST_OPEN = 10_000;

export class Nonces {
  readonly #open = new Set<string>();

  /** base64url of 16 random bytes each. @throws SigningRefused */
  give(count: number): string[] {
    if (!Number.isSafeInteger(count) || count < 1 || this.#open.size + count > MOST_OPEN)
      throw new SigningRefused(`${count} nonces cannot be given.`);
    const given = Array.from({ length: count }, () => randomBytes(16).toString('base64url'));
    for (const nonce of given) this.#open.add(nonce);
    return given;
  }

  /** Takes all of them, or none where one was not given or is used up. @throws SigningRefused */
  take(nonces: readonly string[]): void {
    const wanted = new Set(nonces);
    if (wanted.size !== nonces.length || nonces.some((nonce) => !this.#open.has(nonce)))
      throw new SigningRefused('A run names a nonce that was not given for it or is used up; run it again.');
    for (const nonce of wanted) this.#open.delete(nonce);
  }
}
