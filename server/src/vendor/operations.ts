/** What the vendor itself does with a call, before any fault: the model's operations on the order book. */

import type { OrderState, ResourceState } from '../../../shared/src/evidence/evidence.ts';
import type { Json, JsonObject } from '../../../shared/src/json.ts';
import { sameJson } from '../../../shared/src/sameJson.ts';
import type { OrderBook } from './book.ts';
import type { Cause, Ledger, RowDetails } from './ledger.ts';
import type { AnswerModel, ErrorAnswer, OperationOf, Refusal, VendorModel } from './model.ts';
import { inputOf, type RoutedCall } from './route.ts';
import { hasShape } from './shape.ts';
import { render } from './template.ts';

/** A call's outcome on the vendor's side. */
export interface Handled {
  status: number;
  body: Json;
  /** The order that was placed, repeated, read or cancelled. */
  order?: OrderState;
}

/** A cause whose credential verified. */
export type ClientCause = Cause & { credential: number };

export class Operations {
  readonly #model: VendorModel;
  readonly #ledger: Ledger;
  readonly #book: OrderBook;

  constructor(model: VendorModel, ledger: Ledger, book: OrderBook) {
    this.#model = model;
    this.#ledger = ledger;
    this.#book = book;
  }

  handle(cause: ClientCause, call: RoutedCall): Handled {
    const { operation } = call;
    switch (operation.action) {
      case 'health':
      case 'list':
        this.#ledger.append('read', 'client', cause, { status: operation.answer.status });
        return this.overview(operation);
      case 'read':
        return this.#read(cause, call, operation);
      case 'create':
        return this.#create(cause, call, operation);
      case 'read-order':
        return this.#readOrder(cause, call, operation);
      case 'cancel':
        return this.#cancel(cause, call, operation);
      case 'ignore':
        return this.refuse('not-permitted', cause);
    }
  }

  /** The answer over all resources. Changes nothing and leaves no row. */
  overview(operation: OperationOf<'health' | 'list'>): Handled {
    const resources = this.#book.record().resources.map(resourceScope);
    return answered(operation.answer, { resources });
  }

  /** What a read of this order answers now. */
  orderAnswer(operation: OperationOf<'read-order'>, order: OrderState): Handled {
    return answered(operation.answer, { order: this.#orderScope(order) }, order);
  }

  /** Refuses a call and says so in the ledger. */
  refuse(reason: Refusal, cause: Cause, details: RowDetails = {}): Handled {
    const refusal = this.#model.refusals[reason];
    this.#ledger.append('refusal', 'client', cause, {
      ...details,
      status: refusal.status,
      note: refusal.message,
    });
    return this.error(refusal);
  }

  error({ status, code, message }: ErrorAnswer): Handled {
    return { status, body: render(this.#model.errorBody, { error: { code, message } }) };
  }

  /** What ledger rows say of a call that need not have come through: the resource it named and a create's key. */
  namedBy(call: RoutedCall): RowDetails {
    const { operation } = call;
    switch (operation.action) {
      case 'read':
        return named(inputOf(call, operation.resource));
      case 'create':
        return { ...named(inputOf(call, operation.resource)), key: this.#keyOf(call, operation) };
      case 'read-order':
      case 'cancel':
        return named(this.#book.order(inputOf(call, operation.order))?.resource);
      default:
        return {};
    }
  }

  #read(cause: ClientCause, call: RoutedCall, operation: OperationOf<'read'>): Handled {
    const resource = this.#book.resource(inputOf(call, operation.resource));
    if (resource === undefined) return this.refuse('unknown-resource', cause, this.namedBy(call));
    if (operation.advances) this.#book.advance(cause, resource);
    const read = this.#book.resource(resource.id) ?? resource;
    const { answer } = operation;
    this.#ledger.append('read', 'client', cause, { status: answer.status, target: read.id, resource: read });
    return answered(answer, { resource: resourceScope(read) });
  }

  #readOrder(cause: ClientCause, call: RoutedCall, operation: OperationOf<'read-order'>): Handled {
    const order = this.#book.order(inputOf(call, operation.order));
    const resource = this.#book.resource(order?.resource);
    if (order === undefined || resource === undefined) return this.refuse('unknown-order', cause);
    if (operation.advances) this.#book.advance(cause, resource);
    const read = this.#book.order(order.id) ?? order;
    this.#ledger.append('read', 'client', cause, {
      status: operation.answer.status,
      target: read.resource,
      order: read,
    });
    return this.orderAnswer(operation, read);
  }

  #cancel(cause: ClientCause, call: RoutedCall, operation: OperationOf<'cancel'>): Handled {
    const order = this.#book.order(inputOf(call, operation.order));
    if (order === undefined) return this.refuse('unknown-order', cause);
    const left = this.#book.cancel(cause, order, operation.answer.status);
    return answered(operation.answer, { order: this.#orderScope(left) }, left);
  }

  #create(cause: ClientCause, call: RoutedCall, operation: OperationOf<'create'>): Handled {
    const resource = this.#book.resource(inputOf(call, operation.resource));
    const target = inputOf(call, operation.target);
    const key = this.#keyOf(call, operation);
    if (resource === undefined) return this.refuse('unknown-resource', cause, this.namedBy(call));
    if (
      target === undefined ||
      !hasShape(call.request.body, operation.body) ||
      !hasShape(target, this.#model.orders.target)
    ) {
      return this.refuse('invalid-body', cause, this.namedBy(call));
    }
    if (key === null && inputOf(call, operation.key) !== undefined) {
      return this.refuse('invalid-key', cause, this.namedBy(call));
    }
    const original = key === null ? undefined : this.#book.known(key);
    if (original === undefined) {
      const { accepted } = operation.answers;
      const placement = { resource, target, key, credential: cause.credential };
      const order = this.#book.place('client', cause, placement, accepted.status);
      return answered(accepted, { order: this.#orderScope(order) }, order);
    }
    if (original.resource !== resource.id || !sameJson(original.target, target)) {
      return this.refuse('conflict', cause, this.namedBy(call));
    }
    const { repeat } = operation.answers;
    this.#ledger.append('repeat', 'client', cause, {
      ...this.namedBy(call),
      status: repeat.status,
      order: original,
    });
    return answered(repeat, { order: this.#orderScope(original) }, original);
  }

  /** The key that the create carries, or null where it carries none that this vendor takes. */
  #keyOf(call: RoutedCall, operation: OperationOf<'create'>): string | null {
    const key = inputOf(call, operation.key);
    return typeof key === 'string' && hasShape(key, this.#model.orders.key) ? key : null;
  }

  #orderScope(order: OrderState): JsonObject {
    return { ...order, status: this.#model.orders.statuses[order.status] };
  }
}

function resourceScope(resource: ResourceState): JsonObject {
  return { ...resource };
}

function named(resource: Json | undefined): RowDetails {
  return typeof resource === 'string' ? { target: resource } : {};
}

function answered(answer: AnswerModel, scope: JsonObject, order?: OrderState): Handled {
  const body = render(answer.body, scope);
  return order === undefined ? { status: answer.status, body } : { status: answer.status, body, order };
}
