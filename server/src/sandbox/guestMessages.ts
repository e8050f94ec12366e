/** The second half of the frame guard: which messages a guest may send, checked one by one before they are dispatched. */
import { Ajv, type ValidateFunction } from 'ajv';
import { GUEST_PARAMS, GUEST_RESULTS } from '../../../shared/src/guestSchemas.ts';
import type { Json, JsonObject } from '../../../shared/src/json.ts';
import type { Violation, ViolationReason } from './guard.ts';

/** Ids of the guest's requests, each used once. */
export const MAX_ID = 1_000_000;
const LONE_SURROGATE = /\p{Surrogate}/u;

const ajv = new Ajv({ strict: true, strictTypes: false });
const requests = new Map<string, ValidateFunction>([
  ['call', ajv.compile(GUEST_PARAMS.call)],
  ['advance', ajv.compile(GUEST_PARAMS.advance)],
]);
const notifications = new Map<string, ValidateFunction>([
  ['hello', ajv.compile(GUEST_PARAMS.hello)],
  ['settled', ajv.compile(GUEST_PARAMS.settled)],
]);
const results = new Map<string, ValidateFunction>([
  ['load', ajv.compile(GUEST_RESULTS.load)],
  ['step', ajv.compile(GUEST_RESULTS.step)],
  ['unload', ajv.compile(GUEST_RESULTS.unload)],
]);

export type GuestMessage =
  | { kind: 'request'; id: number; method: string; params: Json }
  | { kind: 'notification'; method: string; params: Json }
  | { kind: 'response'; id: number; method: string; result: Json };

/** Thrown by `check`. */
export class GuestViolation extends Error {
  readonly violation: Violation;

  constructor(reason: ViolationReason, text: string) {
    super(text);
    this.violation = { reason, text };
  }
}

export class MessageCheck {
  /** Requests of the host that wait for their answer: id to method. */
  readonly #waiting = new Map<number, string>();
  readonly #ids = new Set<number>();
  #largestId = 0;
  #greeted = false;

  /** Largest id of the guest's requests so far. */
  get largestId(): number {
    return this.#largestId;
  }

  /** The host has sent a request. */
  expect(id: number, method: string): void {
    this.#waiting.set(id, method);
  }

  /** Reads the body of one frame. Throws GuestViolation. */
  check(body: Buffer): GuestMessage {
    const message = parseObject(body);
    requireWellFormed(message);
    if (message.jsonrpc !== '2.0') throw broken('message', 'a message that is no JSON-RPC 2.0');
    const checked = Object.hasOwn(message, 'method') ? this.#asked(message) : this.#answered(message);
    if (!this.#greeted && checked.method !== 'hello') throw broken('order', 'a message before its greeting');
    if (this.#greeted && checked.method === 'hello') throw broken('order', 'a second greeting');
    this.#greeted = true;
    return checked;
  }

  #asked(message: JsonObject): GuestMessage {
    const { id, method, params = null } = message;
    const isRequest = Object.hasOwn(message, 'id');
    const known = typeof method === 'string' ? (isRequest ? requests : notifications).get(method) : undefined;
    if (typeof method !== 'string' || known === undefined)
      throw broken('method', 'a message of no known kind');
    requireKeys(message, isRequest ? ['jsonrpc', 'id', 'method', 'params'] : ['jsonrpc', 'method', 'params']);
    if (!known(params)) throw broken('message', `a message "${method}" that is not of its schema`);
    if (!isRequest) return { kind: 'notification', method, params };
    if (!isId(id) || this.#ids.has(id)) throw broken('id', 'a request whose id is no new small number');
    this.#ids.add(id);
    this.#largestId = Math.max(this.#largestId, id);
    return { kind: 'request', id, method, params };
  }

  #answered(message: JsonObject): GuestMessage {
    const { id, result = null } = message;
    const method = isId(id) ? this.#waiting.get(id) : undefined;
    if (!isId(id) || method === undefined)
      throw broken('id', 'an answer to a request that does not wait for one');
    this.#waiting.delete(id);
    if (Object.hasOwn(message, 'error')) throw broken('message', `an error as the answer to "${method}"`);
    requireKeys(message, ['jsonrpc', 'id', 'result']);
    if (!results.get(method)?.(result))
      throw broken('message', `an answer to "${method}" that is not of its schema`);
    return { kind: 'response', id, method, result };
  }
}

function broken(reason: ViolationReason, what: string): GuestViolation {
  return new GuestViolation(reason, `The guest sent ${what}.`);
}

function isId(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_ID;
}

function parseObject(body: Buffer): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw broken('json', 'a message that is no JSON');
  }
  // A batch is an array.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw broken('message', 'something other than one message');
  }
  return value;
}

function requireKeys(message: JsonObject, keys: string[]): void {
  if (Object.keys(message).length !== keys.length || !keys.every((key) => Object.hasOwn(message, key))) {
    throw broken('message', 'a message with other members than it may have');
  }
}

/** JSON's grammar allows numbers beyond all bounds and halves of characters; evidence cannot hold either. */
function requireWellFormed(value: Json): void {
  if (typeof value === 'string') requireText(value);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw broken('json', 'a number that is beyond all bounds');
  } else if (Array.isArray(value)) {
    for (const item of value) requireWellFormed(item);
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      requireText(key);
      requireWellFormed(item);
    }
  }
}

function requireText(text: string): void {
  if (LONE_SURROGATE.test(text)) throw broken('json', 'text with half a character');
}
