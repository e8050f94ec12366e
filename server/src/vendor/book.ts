/** The order book: what resources do with the orders placed on them. What follows from a change is written down too. */
import { createHash } from 'node:crypto';
import type {
  FinalRecord,
  LedgerRow,
  OrderState,
  ResourceState,
  WorldFault,
} from '../../../shared/src/evidence/evidence.ts';
import type { Json } from '../../../shared/src/json.ts';
import type { Cause, Ledger } from './ledger.ts';
import type { VendorModel } from './model.ts';
import { fieldsAfterUnit, isAtTarget } from './motion.ts';

export type ResourceFault = Extract<WorldFault, { kind: 'resourceFault' }>;

/** What a create asks for. */
export interface Placement {
  resource: ResourceState;
  target: Json;
  key: string | null;
  credential: number;
}

/** How an order ends. */
type Outcome = Pick<OrderState, 'status'> & Partial<Pick<OrderState, 'error'>>;

interface Closed {
  order: OrderState;
  resource: ResourceState;
}

const reached = 'It reached its target.';

/** States are values: a change replaces a state, so whoever holds one (the ledger's rows do) keeps what it saw. */
export class OrderBook {
  readonly #model: VendorModel;
  readonly #ledger: Ledger;
  readonly #idSeed: string;
  readonly #breakdowns: readonly ResourceFault[];
  readonly #resources = new Map<string, ResourceState>();
  readonly #orders = new Map<string, OrderState>();
  /** Ids of waiting orders by resource, first in, first out. */
  readonly #queues = new Map<string, string[]>();
  /** Units that each resource has moved. */
  readonly #moves = new Map<string, number>();
  /** Ids of orders by the keys that a repeat is recognised by. */
  readonly #known = new Map<string, string>();

  constructor(
    model: VendorModel,
    ledger: Ledger,
    resources: readonly ResourceState[],
    idSeed: string,
    breakdowns: readonly ResourceFault[],
  ) {
    this.#model = model;
    this.#ledger = ledger;
    this.#idSeed = idSeed;
    this.#breakdowns = breakdowns;
    for (const resource of resources) this.#resources.set(resource.id, resource);
  }

  resource(id: Json | undefined): ResourceState | undefined {
    return typeof id === 'string' ? this.#resources.get(id) : undefined;
  }

  order(id: Json | undefined): OrderState | undefined {
    return typeof id === 'string' ? this.#orders.get(id) : undefined;
  }

  /** The order that a create with this key repeats. */
  known(key: string): OrderState | undefined {
    return this.order(this.#known.get(key));
  }

  /** No repeat of this order is recognised from now on. */
  forget({ key }: OrderState): void {
    if (key !== null) this.#known.delete(key);
  }

  /** The order accepted just before this one, else the one after it, else none. */
  neighbour(order: OrderState): OrderState | undefined {
    const orders = [...this.#orders.values()];
    const index = orders.findIndex(({ id }) => id === order.id);
    return orders[index - 1] ?? orders[index + 1];
  }

  /** In the order of the world and of acceptance. */
  record(): FinalRecord {
    return { resources: [...this.#resources.values()], orders: [...this.#orders.values()] };
  }

  /** Accepts a new order; its resource starts it at once when it can. `status`: what the vendor answers to it. */
  place(by: LedgerRow['by'], cause: Cause, placement: Placement, status?: number): OrderState {
    const { resource, target, key, credential } = placement;
    const order = this.#setOrder({
      id: this.#newId(),
      resource: resource.id,
      key,
      target: structuredClone(target),
      status: 'queued',
      progress: 0,
      credential,
      error: null,
    });
    if (key !== null) this.#known.set(key, order.id);
    this.#queue(resource).push(order.id);
    this.#ledger.append('order', by, cause, {
      target: resource.id,
      order,
      ...(status === undefined ? {} : { status }),
    });
    this.#startNext(cause, resource);
    return this.order(order.id) ?? order;
  }

  /** Moves the resource one unit along its running order, if it has one. */
  advance(cause: Cause, resource: ResourceState): void {
    const order = this.order(resource.running);
    if (order === undefined) return;
    const { motion } = this.#model;
    if (isAtTarget(motion, resource, order)) {
      this.#end(cause, order, resource, { status: 'done' }, reached);
      return;
    }
    const nth = (this.#moves.get(resource.id) ?? 0) + 1;
    const breakdown = this.#breakdowns.find((each) => each.resource === resource.id && each.atMove === nth);
    if (breakdown !== undefined) {
      this.#breakDown(cause, breakdown, resource, order);
      return;
    }
    this.#moves.set(resource.id, nth);
    const moved = this.#setResource({ ...resource, fields: fieldsAfterUnit(motion, resource, order) });
    const further = this.#setOrder({ ...order, progress: order.progress + 1 });
    this.#ledger.append('move', 'vendor', cause, { target: resource.id, order: further, resource: moved });
    if (isAtTarget(motion, moved, further)) this.#end(cause, further, moved, { status: 'done' }, reached);
  }

  /** Calls an order off; one that has ended stays as it is. `status`: what the vendor answers. */
  cancel(cause: Cause, order: OrderState, status: number): OrderState {
    const resource = this.#resources.get(order.resource);
    if (resource === undefined) throw new Error(`Order ${order.id} is on a resource that is not there.`);
    const open = order.status === 'queued' || order.status === 'running';
    const left = open ? this.#close(order, resource, { status: 'cancelled' }) : { order, resource };
    this.#ledger.append('cancel', 'client', cause, { target: resource.id, status, ...left });
    if (open) this.#recordEnd(cause, left, 'A client called it off.');
    return left.order;
  }

  #breakDown(cause: Cause, fault: ResourceFault, resource: ResourceState, order: OrderState): void {
    const broken = this.#setResource({ ...resource, status: this.#model.resources.statuses.fault });
    this.#ledger.append('fault', 'scenario', cause, { fault, target: resource.id, resource: broken });
    const outcome = { status: 'failed', error: this.#model.orders.faultError } as const;
    this.#end(cause, order, broken, outcome, 'Its resource faulted under it.');
  }

  #end(cause: Cause, order: OrderState, resource: ResourceState, outcome: Outcome, note: string): void {
    this.#recordEnd(cause, this.#close(order, resource, outcome), note);
  }

  /** The order's last change: off its resource or out of its queue. */
  #close(order: OrderState, resource: ResourceState, outcome: Outcome): Closed {
    const { idle, busy } = this.#model.resources.statuses;
    const closed = this.#setOrder({ ...order, ...outcome });
    if (resource.running !== order.id) {
      const queue = this.#queue(resource);
      queue.splice(queue.indexOf(order.id), 1);
      return { order: closed, resource };
    }
    const status = resource.status === busy ? idle : resource.status;
    return { order: closed, resource: this.#setResource({ ...resource, status, running: null }) };
  }

  #recordEnd(cause: Cause, closed: Closed, note: string): void {
    this.#ledger.append('end', 'vendor', cause, { target: closed.resource.id, note, ...closed });
    this.#startNext(cause, closed.resource);
  }

  #startNext(cause: Cause, resource: ResourceState): void {
    const { idle, busy } = this.#model.resources.statuses;
    if (resource.status !== idle) return;
    const next = this.order(this.#queue(resource).shift());
    if (next === undefined) return;
    const order = this.#setOrder({ ...next, status: 'running' });
    const started = this.#setResource({ ...resource, running: order.id, status: busy });
    this.#ledger.append('start', 'vendor', cause, { target: resource.id, order, resource: started });
  }

  #setOrder(order: OrderState): OrderState {
    this.#orders.set(order.id, order);
    return order;
  }

  #setResource(resource: ResourceState): ResourceState {
    this.#resources.set(resource.id, resource);
    return resource;
  }

  #queue(resource: ResourceState): string[] {
    const queue = this.#queues.get(resource.id) ?? [];
    this.#queues.set(resource.id, queue);
    return queue;
  }

  /** Ids tell nothing of their order: a digest of the seed and the count; the rare clash takes the next number. */
  #newId(): string {
    for (let n = this.#orders.size; ; n += 1) {
      const digest = createHash('sha256').update(`${this.#idSeed}\n${n}`).digest('hex');
      const id = `${this.#model.orders.idPrefix}${digest.slice(0, 6)}`;
      if (!this.#orders.has(id)) return id;
    }
  }
}
