/** Where in the adapter something came from, read from stack traces. A claim: the adapter can forge its own traces. */
import { types } from 'node:util';
import type { Site } from '../../shared/src/guestProtocol.ts';

/** Frames looked at for the adapter's own: its helpers and the client's stand above the place that called. */
const FRAMES = 50;
const MAX_STACK = 100_000;

export class Sites {
  readonly #frame: RegExp;
  readonly #head: RegExp;
  readonly #getters: readonly unknown[];

  /**
   * `fileName`: the name the adapter was compiled with. `realmError`: an error of the adapter's realm, made before it
   * loaded; newer engines keep `stack` behind a getter of each realm, and no other getter is called.
   */
  constructor(fileName: string, realmError: object) {
    this.#getters = [new Error(), realmError].map((error) => stackProperty(error)?.get).filter(Boolean);
    const name = fileName.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    // Either bare, or in brackets after a function's name; `async` may stand before both.
    this.#frame = new RegExp(`^ +at (?:.* \\(|async )?${name}:(\\d+):(\\d+)\\)?$`);
    this.#head = new RegExp(`^${name}:(\\d+)$`);
  }

  /** The adapter's frames on the stack now, innermost first, functions that wait for the running one included. */
  here(): string[] {
    const before = Error.stackTraceLimit;
    Error.stackTraceLimit = FRAMES;
    const stack = new Error().stack ?? '';
    Error.stackTraceLimit = before;
    return stack.split('\n').filter((line) => this.#frame.test(line));
  }

  /** Site of the first line that is a frame of the adapter. */
  first(lines: string[]): Site | undefined {
    for (const line of lines) {
      const match = this.#frame.exec(line);
      if (match) return site(Number(match[1]), Number(match[2]));
    }
    return undefined;
  }

  /** Site in an error's own stack, where that is text. */
  ofError(error: unknown): Site | undefined {
    return this.first(this.#stackOf(error).split('\n'));
  }

  /** Site of an error met while compiling: the engine puts file, line, source and carets before its stack. */
  ofSyntaxError(error: unknown): Site | undefined {
    const [head = '', , carets = ''] = this.#stackOf(error).split('\n');
    const match = this.#head.exec(head);
    if (!match) return this.ofError(error);
    return site(Number(match[1]), carets.indexOf('^') + 1);
  }

  #stackOf(error: unknown): string {
    if (typeof error !== 'object' || error === null || types.isProxy(error)) return '';
    const property = stackProperty(error);
    const stack = this.#getters.includes(property?.get) ? ask(property?.get, error) : property?.value;
    return typeof stack === 'string' ? stack.slice(0, MAX_STACK) : '';
  }
}

function stackProperty(error: object): PropertyDescriptor | undefined {
  return Object.getOwnPropertyDescriptor(error, 'stack');
}

/** Making the text may run a function that the adapter put in `Error.prepareStackTrace`. */
function ask(getter: (() => unknown) | undefined, error: object): unknown {
  try {
    return getter === undefined ? undefined : Reflect.apply(getter, error, []);
  } catch {
    return undefined;
  }
}

function site(line: number, column: number): Site | undefined {
  const valid = Number.isSafeInteger(line) && Number.isSafeInteger(column) && line > 0;
  return valid ? { line, column: Math.max(1, column) } : undefined;
}
