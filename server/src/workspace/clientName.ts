/** Which names the injected client may not have. */

/** Globals of the sandbox and of JavaScript, words of the language, and names with a meaning in a CommonJS module. */
const TAKEN = new Set(
  [
    'globalThis global self window undefined NaN Infinity eval isFinite isNaN parseFloat parseInt decodeURI',
    'decodeURIComponent encodeURI encodeURIComponent escape unescape Object Function Boolean Symbol Error',
    'AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError Number BigInt',
    'Math Date String RegExp Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer',
    'SharedArrayBuffer Atomics DataView JSON Promise Proxy Reflect Intl Iterator AsyncIterator WebAssembly',
    'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array',
    'Float32Array Float64Array BigInt64Array BigUint64Array DisposableStack AsyncDisposableStack Temporal',
    'console setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask',
    'structuredClone performance AbortController AbortSignal Event EventTarget DOMException VendorCallError fetch',
    'process Buffer require module exports __filename __dirname arguments async of get set',
    'break case catch class const continue debugger default delete do else enum export extends false finally for',
    'function if implements import in instanceof interface let new null package private protected public return',
    'static super switch this throw true try typeof var void while with yield await',
    'constructor prototype __proto__ toString valueOf hasOwnProperty',
  ].flatMap((line) => line.split(' ')),
);

/** The name is a global's, a word of the language or has a meaning in every module. */
export function isTakenName(name: string): boolean {
  return TAKEN.has(name);
}
