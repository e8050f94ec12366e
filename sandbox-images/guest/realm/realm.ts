/**
 * The adapter's realm: a fresh context with the ECMAScript globals that have no other source of time or chance, and
 * what belongs to the run. Everything the adapter can touch is made inside it; only primitives and functions that are
 * wrapped in there cross the border. This is tidiness: the container is the wall.
 */
import { type Context, compileFunction, constants, createContext, Script } from 'node:vm';
import type { RealmPrototypes } from '../thrown.ts';
import { type AbortGlobals, abortGlobals } from './abort.ts';
import { type Calls, makeCalls, type SendCall } from './calls.ts';
import { makeConsole } from './console.ts';
import { installTime } from './time.ts';
import { type StartTimer, type TimerGlobals, timerGlobals } from './timers.ts';

export interface RealmOptions {
  epoch: number;
  random: number;
  now(): number;
  startTimer: StartTimer;
  stopTimer(timer: number): void;
  sendCall: SendCall;
  log(values: unknown[]): void;
  /** Client script: an expression that is `(invoke, fail) => client`. */
  client: string;
  clientName: string;
}

export interface Realm {
  prototypes: RealmPrototypes;
  /** An error of the realm. */
  error: Error;
  /** Compiles and runs a CommonJS module; returns what `module.exports` is then. Throws what it throws. */
  load(text: string, fileName: string): unknown;
  /** Starts `call` with copies of the arguments made in the realm; `settled` is called once, never at once. */
  start(call: unknown, self: unknown, args: string, settled: Settled): void;
  answer: Calls['answer'];
}

export type Settled = (returned: boolean, value: unknown) => void;

/** Sources of real time, of other threads' timing or of chance that a run could not repeat. */
const REMOVED = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry'];

interface Kit {
  prototypes: RealmPrototypes;
  error: Error;
  wrap<Args extends unknown[], Result>(call: (...args: Args) => Result): (...args: Args) => Result;
  define(name: string, value: unknown, fixed: boolean): void;
  remove(name: string): void;
  makeModule(): { exports: unknown };
  start: Realm['start'];
}

/** First of all in the realm. This function's text runs inside it. */
function makeKit(): Kit {
  const { parse } = JSON;
  const { apply } = Reflect;
  const { defineProperty } = Object;
  return {
    prototypes: { object: Object.prototype, array: Array.prototype, error: Error.prototype },
    error: new Error(),
    // A failure of the harness (a stack that ran out) must not hand its own errors to the adapter.
    wrap:
      (call) =>
      (...args) => {
        try {
          return call(...args);
        } catch {
          throw new Error('The sandbox could not do that: the call stack ran out.');
        }
      },
    define: (name, value, fixed) => {
      defineProperty(globalThis, name, { value, writable: !fixed, configurable: !fixed, enumerable: fixed });
    },
    remove: (name) => {
      delete (globalThis as Record<string, unknown>)[name];
    },
    makeModule: () => ({ exports: {} }),
    start: (call, self, args, settled) => {
      const run = async () => {
        let returned = false;
        let value: unknown;
        try {
          value = await apply(call as () => unknown, self, parse(args));
          returned = true;
        } catch (error) {
          value = error;
        }
        settled(returned, value);
      };
      void run();
    },
  };
}

export function createRealm(options: RealmOptions): Realm {
  const context = emptyContext();
  const kit = inside(context, makeKit)();
  for (const name of REMOVED) kit.remove(name);
  inside(context, installTime)(kit.wrap(options.now), options.epoch, options.random);
  const timers: TimerGlobals = inside(context, timerGlobals)(
    kit.wrap(options.startTimer),
    kit.wrap(options.stopTimer),
  );
  for (const [name, value] of Object.entries(timers.globals)) kit.define(name, value, false);
  const log = kit.wrap(options.log);
  kit.define('console', inside(context, makeConsole)(log, kit.wrap(options.now)), false);
  const abort: AbortGlobals = inside(context, abortGlobals)(timers.start, inside(context, reporter)(log));
  kit.define('AbortController', abort.AbortController, false);
  kit.define('AbortSignal', abort.AbortSignal, false);
  const calls = inside(context, makeCalls)(kit.wrap(options.sendCall), abort);
  const client = evaluate(context, options.client, 'loadline:client') as (
    invoke: Calls['invoke'],
    fail: Calls['fail'],
  ) => unknown;
  kit.define(options.clientName, client(calls.invoke, calls.fail), true);
  return {
    prototypes: kit.prototypes,
    error: kit.error,
    load: (text, fileName) => loadModule(context, kit.makeModule(), text, fileName),
    start: kit.start,
    answer: calls.answer,
  };
}

/** This function's text runs inside the realm. */
function reporter(log: (values: unknown[]) => void): (error: unknown) => void {
  return (error) => log(['An abort listener threw:', error]);
}

function emptyContext(): Context {
  // A plain global object: with a contextified one, every global would be looked up through the harness's realm.
  return createContext(constants.DONT_CONTEXTIFY, {
    name: 'adapter',
    codeGeneration: { strings: false, wasm: false },
  });
}

/** The same function as `make`, but of the realm. `make` must be closed: it may use nothing around it. */
function inside<Make extends (...args: never[]) => unknown>(context: Context, make: Make): Make {
  return evaluate(context, make.toString(), 'loadline:realm') as Make;
}

function evaluate(context: Context, expression: string, filename: string): unknown {
  return new Script(`'use strict'; (${expression}\n)`, { filename }).runInContext(context);
}

function loadModule(context: Context, module: { exports: unknown }, text: string, fileName: string): unknown {
  // Compiled as a function's body, not wrapped in text: lines and columns are the file's own.
  const body = compileFunction(commentedHashbang(text), ['module', 'exports'], {
    filename: fileName,
    parsingContext: context,
  });
  Reflect.apply(body, module.exports, [module, module.exports]);
  return module.exports;
}

/** A first line `#!...` as a comment of the same length. */
function commentedHashbang(text: string): string {
  return text.startsWith('#!') ? `//${text.slice(2)}` : text;
}
