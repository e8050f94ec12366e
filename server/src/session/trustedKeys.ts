/** Whose verdicts count: one's own keys and those of the setting, never what a workspace says of itself. */
import { readFileSync, statSync } from 'node:fs';
import { trustedKeyIds } from '../../../shared/src/evidence/trust.ts';
import type { KeyOwner } from '../../../shared/src/protocol.ts';

export interface TrustedKeysParts {
  /** Key ids of one's own, from the signer; empty where there is no key, or the signer may not be asked. */
  own(): Promise<readonly string[]>;
  /** Path of the JWK set that the settings name; empty: none. */
  setting(): Promise<string>;
  log(text: string): void;
}

const MOST_BYTES = 1024 * 1024;

export class TrustedKeys {
  readonly #parts: TrustedKeysParts;
  #own: ReadonlySet<string> = new Set();
  /** Key ids that the signer was asked about and did not know: it is asked once for each. */
  readonly #strangers = new Set<string>();
  readonly #said = new Set<string>();
  #asking: Promise<void> | null = null;

  constructor(parts: TrustedKeysParts) {
    this.#parts = parts;
  }

  /** Those of the key ids that are trusted now. */
  async trusted(kids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.owners(kids)).keys());
  }

  /** Whose those of the key ids are that are trusted now. */
  async owners(kids: readonly string[]): Promise<ReadonlyMap<string, KeyOwner>> {
    const named = await this.#named();
    const unknown = () =>
      kids.filter((kid) => !named.has(kid) && !this.#own.has(kid) && !this.#strangers.has(kid));
    if (unknown().length > 0) {
      // Many files are read at once, and one answer is enough for all of them.
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null;
      });
      await this.#asking;
      for (const kid of unknown()) this.#strangers.add(kid);
    }
    return new Map(
      kids.flatMap((kid): [string, KeyOwner][] => {
        if (this.#own.has(kid)) return [[kid, 'mine']];
        return named.has(kid) ? [[kid, 'trusted']] : [];
      }),
    );
  }

  /** A key may have been made or replaced, or trust was given: the signer is asked anew. */
  forget(): void {
    this.#own = new Set();
    this.#strangers.clear();
  }

  async #ask(): Promise<void> {
    try {
      this.#own = new Set(await this.#parts.own());
    } catch (error) {
      this.#say(`Your own keys are not known: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** A trouble that lasts is said once. */
  #say(text: string): void {
    if (!this.#said.has(text)) this.#parts.log(text);
    this.#said.add(text);
  }

  async #named(): Promise<ReadonlySet<string>> {
    const path = await this.#parts.setting();
    if (path === '') return new Set();
    try {
      const found = statSync(path);
      if (!found.isFile() || found.size > MOST_BYTES) throw new Error('it is no file of at most 1 MiB.');
      return await trustedKeyIds(JSON.parse(readFileSync(path, 'utf8')));
    } catch (error) {
      this.#say(
        `The keys of loadline.trustedKeys (${path}) do not count: ${error instanceof Error ? error.message : error}`,
      );
      return new Set();
    }
  }
}
