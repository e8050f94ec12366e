/** Names that adapter code finds without declaring them, and why others are not there. */
import { emitSandboxGlobals } from '../../../shared/src/surface/sandboxGlobals.ts';

/** What ECMAScript has, without what would be another source of time, of chance or of code. */
const LANGUAGE = [
  ['globalThis', 'undefined', 'NaN', 'Infinity', 'isFinite', 'isNaN', 'parseFloat', 'parseInt', 'arguments'],
  ['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent', 'escape', 'unescape'],
  ['Object', 'Function', 'Array', 'Number', 'Boolean', 'String', 'Symbol', 'BigInt', 'Date', 'RegExp'],
  ['Promise', 'Proxy', 'Reflect', 'JSON', 'Math', 'Intl', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Iterator'],
  ['Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError'],
  ['URIError', 'ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array'],
  ['Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array'],
  ['BigUint64Array', 'module', 'exports'],
].flat();

export const SANDBOX_NAMES: ReadonlySet<string> = new Set([
  ...LANGUAGE,
  ...[...emitSandboxGlobals().matchAll(/^declare (?:const|function) (\w+)/gm)].map((match) => match[1] ?? ''),
]);

const REASONS: readonly (readonly [names: string, reason: string])[] = [
  ['require import', 'an adapter is one file, without modules'],
  ['__dirname __filename', 'an adapter sees no file system'],
  ['process Deno Bun', 'an adapter sees no process, no environment and no file system'],
  ['global self window document navigator location', 'the global object is called globalThis'],
  [
    'fetch XMLHttpRequest WebSocket EventSource Request Response Headers FormData',
    'there is no network, and the vendor is called through {client} alone',
  ],
  ['localStorage sessionStorage indexedDB caches', 'nothing outlives a run, so keep state in a variable'],
  ['Worker SharedWorker MessageChannel MessagePort BroadcastChannel', 'a run has one thread'],
  [
    'SharedArrayBuffer Atomics WebAssembly WeakRef FinalizationRegistry',
    'a run has to come out the same each time',
  ],
  ['crypto', 'ids come from the platform, so use the ones that the adapter is given'],
  [
    'Buffer Blob File TextEncoder TextDecoder atob btoa',
    'it belongs to Node and browsers, not to ECMAScript',
  ],
  ['URL URLSearchParams', 'the client writes paths and query keys itself'],
  ['structuredClone', 'copy with spread syntax, or through JSON'],
  ['Event EventTarget requestAnimationFrame alert prompt', 'it belongs to browsers, not to ECMAScript'],
];

const BY_NAME = new Map(
  REASONS.flatMap(([names, reason]) => names.split(' ').map((name): [string, string] => [name, reason])),
);

/** Why a name that hosts usually have is not there, without a full stop; undefined: no host has it. */
export function absenceOf(name: string, client: string): string | undefined {
  return BY_NAME.get(name)?.replace('{client}', client);
}
