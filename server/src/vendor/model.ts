/**
 * A vendor as data: what an order engine has to know to behave like it. All plain JSON. The engine's vocabulary is
 * resources (robots, couriers, printers) and orders (missions, deliveries, jobs) placed on them; a model says how this
 * vendor spells them, where its requests carry what, and what it answers.
 */
import type { OrderStatus, ResourceState } from '../../../shared/src/evidence/evidence.ts';
import type { HttpMethod } from '../../../shared/src/surface/surface.ts';

export interface VendorModel {
  /** As in `simulated:<name>`. */
  name: string;
  title: string;
  /** Milliseconds from a call's arrival to its answer. */
  answerMs: number;
  resources: ResourceModel;
  orders: OrderModel;
  motion: GridMotion;
  operations: OperationModel[];
  refusals: Record<Refusal, ErrorAnswer>;
  /** What this vendor says with a status that a fault makes it answer; `other`: with any that is not listed. */
  failures: { listed: ErrorAnswer[]; other: Omit<ErrorAnswer, 'status'> };
  /** Body of every error over the scope `{error: {code, message}}`. */
  errorBody: Template;
}

export interface ResourceModel {
  /** How the vendor spells these states. */
  statuses: { idle: string; busy: string; fault: string };
  /** The world where no plan gives another. */
  start: ResourceState[];
}

export interface OrderModel {
  /** Before the digits of an order's id. */
  idPrefix: string;
  /** How the vendor spells these states. */
  statuses: Record<OrderStatus, string>;
  /** What may be ordered (the value at a create's `target`), also by strangers. */
  target: Shape;
  /** What an idempotency key may look like. */
  key: Shape;
  /** `error` of an order whose resource faulted under it. */
  faultError: string;
}

/**
 * How a running order gets on: by one unit at each call of an operation that `advances`, along the first axis on which
 * the resource is not yet where the order wants it. At the target it is done.
 */
export interface GridMotion {
  kind: 'grid';
  /** JSON Pointers into the resource's fields and into the order's target. */
  axes: { position: string; target: string }[];
  /** A field that every unit takes from, never below 0. */
  spends: { field: string; perUnit: number };
}

/** Where a request carries something. */
export type Input =
  | { in: 'path'; name: string }
  | { in: 'query'; name: string }
  /** Lower-case name. */
  | { in: 'header'; name: string }
  /** JSON Pointer into the body. */
  | { in: 'body'; pointer: string };

/** What a value has to be. Decided without regular expressions: a model may come from a workspace. */
export type Shape =
  | { is: 'any' }
  | { is: 'integer'; min: number; max: number }
  /** Lengths in UTF-16 code units; every character one of `characters`. */
  | { is: 'string'; min: number; max: number; characters: string }
  /** No keys beside these. */
  | { is: 'object'; required: Record<string, Shape>; optional?: Record<string, Shape> };

/**
 * An answer's body: plain values as they are, and nodes that look something up. `$from` is a JSON Pointer into the
 * scope; `$count` the length of the array at a pointer; `$each` renders `$item` for each element of the array at a
 * pointer, found in the scope under the name `$as`. The scopes: `order` (`{id, resource, key, target, status,
 * progress, error}`), `resource` (`{id, status, running, fields}`), `resources` (all of them), `error`.
 */
export type Template =
  | null
  | boolean
  | number
  | string
  | { $from: string }
  | { $count: string }
  | { $each: string; $as: string; $item: Template }
  | { [key: string]: Template };

export interface AnswerModel {
  status: number;
  body: Template;
}

/** What the client did wrong; checked in this order, as far as it concerns an operation. */
export type Refusal =
  | 'unauthorized'
  | 'unknown-route'
  | 'unknown-resource'
  | 'unknown-order'
  | 'invalid-body'
  | 'invalid-key'
  | 'conflict'
  | 'not-permitted';

export interface ErrorAnswer {
  status: number;
  /** The vendor's word for programs. */
  code: string;
  /** The vendor's sentence for people. */
  message: string;
}

interface OperationBase {
  /** The operation's name in the surface. */
  name: string;
  method: HttpMethod;
  /** Path template of the vendor document. The first operation whose template fits a path has it. */
  path: string;
}

/** What the engine does for an operation. */
export type OperationAction =
  /** Answers over `resources`. */
  | { action: 'health'; answer: AnswerModel }
  | { action: 'list'; answer: AnswerModel }
  /** Answers over `resource`. */
  | { action: 'read'; resource: Input; advances: boolean; answer: AnswerModel }
  | {
      action: 'create';
      resource: Input;
      target: Input;
      key: Input;
      body: Shape;
      /** Both over `order`: a new order, and the original one where the key is known. */
      answers: { accepted: AnswerModel; repeat: AnswerModel };
    }
  /** Both answer over `order`. */
  | { action: 'read-order'; order: Input; advances: boolean; answer: AnswerModel }
  | { action: 'cancel'; order: Input; answer: AnswerModel }
  /** The vendor has it, the engine does not play it: refused as not permitted. */
  | { action: 'ignore' };

export type OperationModel = OperationBase & OperationAction;

/** The operations of one action. */
export type OperationOf<Action extends OperationModel['action']> = Extract<
  OperationModel,
  { action: Action }
>;
