/** One run of the adapter's code as the walk imagines it: which calls fail, how open conditions go, what was called. */
import type ts from 'typescript';
import {
  derived,
  isNullish,
  object,
  type PromiseValue,
  prim,
  sym,
  truthOf,
  UNDEFINED,
  type Value,
} from './value.ts';

/** The adapter's code threw. */
export class Thrown extends Error {
  constructor(readonly value: Value) {
    super('thrown');
  }
}

/** The walk cannot follow: nothing is said on the grounds of this path. */
export class GiveUp extends Error {}

/** The path ran long enough; what happened on it counts, how it would end is unknown. */
export class Enough extends Error {}

/** The four shapes of a failure under which an order may exist. */
export interface Sample {
  /** For sentences: `a 503 of the vendor`. */
  text: string;
  fields: Readonly<Record<string, string | number>>;
}

const LOST = { origin: 'broker', sent: 'maybe' };
const BROKEN = { origin: 'vendor', sent: 'yes' };

export const SAMPLES: readonly Sample[] = [
  { text: 'a lost answer (502)', fields: { status: 502, ...LOST } },
  { text: 'a lost answer (504)', fields: { status: 504, ...LOST } },
  { text: 'a 500 of the vendor', fields: { status: 500, ...BROKEN } },
  { text: 'a 503 of the vendor', fields: { status: 503, ...BROKEN } },
];

/** `read` takes the names of fields that the adapter looks at. */
function errorOf({ fields }: Sample, read: Set<string>): Value {
  const error = object(Object.entries(fields).map(([name, value]) => [name, prim(value)]));
  error.fields.set('name', prim('VendorCallError'));
  error.fields.set('outcome', prim('unknown'));
  for (const name of ['message', 'stack']) error.fields.set(name, sym(`error.${name}`, 'error'));
  error.fields.set('code', UNDEFINED);
  error.fields.set('cause', UNDEFINED);
  error.fields.set('retryAfterMs', prim(1_000));
  error.open = sym('error', 'error');
  error.read = read;
  return error;
}

/** Whether code that looks at these fields alone cannot tell the samples apart. */
export function isAlike(a: Sample, b: Sample, read: ReadonlySet<string>): boolean {
  return Object.keys(a.fields).every((name) => !read.has(name) || a.fields[name] === b.fields[name]);
}

/** One call of an operation. */
export interface OperationCall {
  operation: string;
  node: ts.Node;
  args: Value[];
  failed: boolean;
  /** As `Trace.sure`, up to this call. */
  sure: boolean;
}

/** How the export ended; null: the path was left before. */
/** `code`: what the error's `code` gives, a getter of its class among it; undefined: it has none, or is no object. */
export type End =
  | { kind: 'returned'; value: Value }
  | { kind: 'threw'; value: Value; code: Value | undefined }
  | null;

/** Everything that happened on one path. */
export interface Trace {
  calls: OperationCall[];
  /** What the failure was caught by last: a `catch` or the function given to `.catch`. */
  handler: ts.Node | null;
  end: End;
  /** False: a condition was decided that is not modelled, or that hangs on what a sample leaves open of the error. */
  sure: boolean;
}

interface Decision {
  taken: boolean;
  /** Both ways were tried. */
  closed: boolean;
}

/** Calls of one operation on one path: more show nothing new. */
const CALLS = 48;
const STEPS = 8_000;
/** Decisions on one path that are taken both ways; later ones keep their first way. */
const CHOICES = 14;

interface Timer {
  id: number;
  at: number;
  every: number | null;
  run: () => void;
}

export class World {
  readonly trace: Trace = { calls: [], handler: null, end: null, sure: true };
  now = 1_700_000_000_000;
  #steps = 0;
  #decided = 0;
  #made = 0;
  #timers: Timer[] = [];
  readonly #known = new Map<string, boolean>();

  /** `plan`: decisions of the path before, of which the last open one was turned; it grows as this path goes on. */
  constructor(
    readonly failing: string | null,
    readonly sample: Sample,
    readonly plan: Decision[],
    readonly budget: { steps: number },
    /** Names of the error's fields that were looked at. */
    readonly read: Set<string> = new Set(),
  ) {}

  step(): void {
    this.#steps += 1;
    this.budget.steps -= 1;
    if (this.#steps > STEPS || this.budget.steps < 0) throw new Enough();
  }

  /** Numbers what is made anew each time. */
  count(): number {
    this.#made += 1;
    return this.#made;
  }

  truth(value: Value): boolean {
    return truthOf(value) ?? this.#decide(value);
  }

  nullish(value: Value): boolean {
    return isNullish(value) ?? this.#decide(derived('nullish', value));
  }

  /** The same symbol is decided the same way throughout a path. */
  #decide(value: Value): boolean {
    if (value.kind !== 'sym') throw new GiveUp();
    const known = this.#known.get(value.name);
    if (known !== undefined) return known;
    if (value.origin === 'blind' || value.origin === 'error') this.trace.sure = false;
    const taken = this.choose();
    this.#known.set(value.name, taken);
    return taken;
  }

  choose(): boolean {
    const planned = this.plan[this.#decided];
    this.#decided += 1;
    if (planned !== undefined) return planned.taken;
    this.plan.push({ taken: false, closed: this.#decided > CHOICES });
    return false;
  }

  /** A call of an operation: it fails, or is answered by a symbol of its own. */
  call(operation: string, args: Value[], node: ts.Node): PromiseValue {
    const failed = operation === this.failing;
    const before = this.trace.calls.filter((call) => call.operation === operation).length;
    if (before >= CALLS) throw new Enough();
    this.trace.calls.push({ operation, node, args, failed, sure: this.trace.sure });
    this.now += 100;
    const value = failed ? errorOf(this.sample, this.read) : sym(`${operation}#${before}`, 'world');
    return { kind: 'promise', state: failed ? 'rejected' : 'fulfilled', value, reactions: [] };
  }

  timer(delay: Value, every: boolean, run: () => void): number {
    const ms = delay.kind === 'prim' ? Number(delay.value ?? 0) || 0 : 1_000;
    const id = this.count();
    this.#timers.push({ id, at: this.now + ms, every: every ? Math.max(1, ms) : null, run });
    return id;
  }

  clear(id: Value): void {
    if (id.kind === 'prim') this.#timers = this.#timers.filter((timer) => timer.id !== id.value);
  }

  /** Runs the timer that is due first; false: there is none. */
  tick(): boolean {
    const next = this.#timers.reduce<Timer | null>((a, b) => (a === null || b.at < a.at ? b : a), null);
    if (next === null) return false;
    this.step();
    this.now = Math.max(this.now, next.at);
    if (next.every === null) this.#timers = this.#timers.filter((timer) => timer !== next);
    else next.at = this.now + next.every;
    next.run();
    return true;
  }
}

/** Turns the last decision that is open; false: every path was walked. */
export function turn(plan: Decision[]): boolean {
  for (let last = plan.pop(); last !== undefined; last = plan.pop()) {
    if (last.closed) continue;
    plan.push({ taken: !last.taken, closed: true });
    return true;
  }
  return false;
}
