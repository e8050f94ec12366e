/** Diagnostics by pull or by push, whichever the editor has: computed alike, never older than the text. */
import { CancellationToken, type Diagnostic } from 'vscode-languageserver';
import { PROVIDERS } from '../language/diagnostics.ts';
import type { FileContext } from '../language/feature.ts';
import type { Wall } from './wall.ts';

export interface DiagnosticsParts {
  wall: Wall;
  context(uri: string): Promise<FileContext | null>;
  /** Of open documents. */
  version(uri: string): number | undefined;
  uris(): string[];
  /** Whether the editor pulls. */
  pulls(): boolean;
  /** Asks an editor that pulls to pull anew. */
  refresh(): void;
  publish(params: { uri: string; version?: number; diagnostics: Diagnostic[] }): void;
}

const DEBOUNCE_MS = 150;

export class DiagnosticsHub {
  readonly #parts: DiagnosticsParts;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #refreshing: NodeJS.Timeout | undefined;

  constructor(parts: DiagnosticsParts) {
    this.#parts = parts;
  }

  /** Of one document as it is now: a provider that fails says nothing, and the others are heard. */
  async of(uri: string, token = CancellationToken.None): Promise<Diagnostic[]> {
    const { wall } = this.#parts;
    const context = await wall.guard('context', null, () => this.#parts.context(uri), token);
    if (context === null) return [];
    const said: Diagnostic[] = [];
    for (const { name, provide } of PROVIDERS) {
      // Between two of them a cancellation, or the next key, is read.
      await new Promise(setImmediate);
      said.push(
        ...(await wall.guard<Diagnostic[]>(`${name} diagnostics`, [], () => provide(context), token)),
      );
    }
    return said;
  }

  /** A document changed: an editor that pulls asks by itself. */
  note(uri: string): void {
    if (!this.#parts.pulls()) this.#schedule(uri);
  }

  /** Something changed that other documents depend on: settings, a snapshot, a run. */
  noteAll(): void {
    if (this.#parts.pulls()) {
      clearTimeout(this.#refreshing);
      this.#refreshing = setTimeout(() => this.#parts.refresh(), DEBOUNCE_MS);
      return;
    }
    for (const uri of this.#parts.uris()) this.#schedule(uri);
  }

  /** Nothing of a closed document stays. */
  close(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
    if (!this.#parts.pulls()) this.#parts.publish({ uri, diagnostics: [] });
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    clearTimeout(this.#refreshing);
  }

  #schedule(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.set(
      uri,
      setTimeout(() => void this.#push(uri), DEBOUNCE_MS),
    );
  }

  async #push(uri: string): Promise<void> {
    const version = this.#parts.version(uri);
    if (version === undefined) return;
    const diagnostics = await this.of(uri);
    // A newer text has a timer of its own, and a closed one has been cleared.
    if (this.#parts.version(uri) === version) this.#parts.publish({ uri, version, diagnostics });
  }
}
