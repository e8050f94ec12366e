/**
 * The simulated vendor: any vendor model played on an order book, under a fault schedule, with a ledger. Deterministic:
 * the same model, world, faults, seed and calls give the same ledger, byte for byte.
 */
import type {
  CallFault,
  FaultSchedule,
  FinalRecord,
  LedgerRow,
  ResourceState,
} from '../../../shared/src/evidence/evidence.ts';
import { isRefusal } from '../../../shared/src/refusal.ts';
import { OrderBook } from './book.ts';
import { FaultDesk, type StrangersOrder } from './faults.ts';
import { type Cause, Ledger } from './ledger.ts';
import type { ErrorAnswer, VendorModel } from './model.ts';
import { type ClientCause, type Handled, Operations } from './operations.ts';
import { type RoutedCall, routeCall } from './route.ts';
import type { LedgerVendor, TokenVerifier, VendorOutcome, VendorRequest } from './vendor.ts';

export interface OrderEngineOptions {
  model: VendorModel;
  /** What the vendor starts with; the model's own start where none is given. */
  world?: { resources: ResourceState[] };
  faults: FaultSchedule;
  verifier: TokenVerifier;
  /** Order ids are made from it. */
  idSeed: string;
  /** Milliseconds since 1970 at time 0 of the run. */
  epoch: number;
}

/** The stranger's credential number. */
const strangersCredential = 2;
/** An answer that comes too late for a broker that waits 60 s. */
const slowMs = 61_000;

/** A create that was taken up but not yet handled. */
interface LateCreate {
  cause: ClientCause;
  call: RoutedCall;
  fault: CallFault;
}

export class OrderEngine implements LedgerVendor {
  readonly #model: VendorModel;
  readonly #verifier: TokenVerifier;
  readonly #epoch: number;
  readonly #ledger = new Ledger();
  readonly #faults: FaultDesk;
  readonly #book: OrderBook;
  readonly #operations: Operations;
  #late: LateCreate[] = [];
  /** Settles when the calls so far have been handled: calls act on the book in the order of their arrival. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Throws an Error with a sentence for people where the schedule asks for what cannot be. */
  constructor({ model, world, faults, verifier, idSeed, epoch }: OrderEngineOptions) {
    const resources = structuredClone(world?.resources ?? model.resources.start);
    this.#model = model;
    this.#verifier = verifier;
    this.#epoch = epoch;
    this.#faults = new FaultDesk(faults, model, resources);
    this.#book = new OrderBook(model, this.#ledger, resources, idSeed, this.#faults.breakdowns);
    this.#operations = new Operations(model, this.#ledger, this.#book);
    const opening: Cause = { at: 0, credential: null, step: null, call: null };
    this.#ledger.append('opened', 'vendor', opening, { resources });
  }

  handle(request: VendorRequest, now: number): Promise<VendorOutcome> {
    const outcome = this.#turn.then(() => this.#arrive(request, now));
    this.#turn = outcome.catch(() => undefined);
    return outcome;
  }

  ledger(): readonly LedgerRow[] {
    return this.#ledger.rows;
  }

  /** To be called when no `handle` is under way. */
  settle(now: number): void {
    this.#land(this.#late, now);
  }

  record(): FinalRecord {
    return structuredClone(this.#book.record());
  }

  async #arrive(request: VendorRequest, now: number): Promise<VendorOutcome> {
    const credential = await this.#verifier.verify(request.headers.authorization, (this.#epoch + now) / 1000);
    const call = routeCall(this.#model.operations, request);
    if (request.call === null) return this.#probe(credential, call);
    const cause: Cause = {
      at: now,
      credential,
      step: request.step,
      call: request.call,
      ...(call === null ? {} : { operation: call.operation.name }),
    };
    if (credential === null) {
      const details = call === null ? {} : this.#operations.namedBy(call);
      return this.#answer(this.#operations.refuse('unauthorized', cause, details));
    }
    if (call === null) return this.#answer(this.#operations.refuse('unknown-route', cause));
    return this.#admit({ ...cause, credential }, call);
  }

  /** A call with a good credential: whatever the schedule holds for it, and what it sets free. */
  #admit(cause: ClientCause, call: RoutedCall): VendorOutcome {
    const { fault, strangers } = this.#faults.arrive(call.operation.name, cause.step);
    for (const stranger of strangers) this.#placeStrangers(stranger, cause.at);
    const due = this.#late.filter(
      (late) => late.cause.step === cause.step && late.call.operation === call.operation,
    );
    const outcome =
      fault === undefined
        ? this.#answer(this.#operations.handle(cause, call))
        : this.#meet(fault, cause, call);
    if (outcome.kind !== 'unopened') this.#land(due, cause.at);
    return outcome;
  }

  /** The broker's own question whether the vendor is up: no row, no fault, nothing moves. */
  #probe(credential: number | null, call: RoutedCall | null): VendorOutcome {
    const { refusals } = this.#model;
    if (credential === null) return this.#answer(this.#operations.error(refusals.unauthorized));
    const operation = call?.operation;
    if (operation?.action !== 'health' && operation?.action !== 'list') {
      return this.#answer(this.#operations.error(refusals['unknown-route']));
    }
    return this.#answer(this.#operations.overview(operation));
  }

  #meet(fault: CallFault, cause: ClientCause, call: RoutedCall): VendorOutcome {
    const { target, ...carried } = this.#operations.namedBy(call);
    const named = target === undefined ? {} : { target };
    if (fault.handled === 'yes') return this.#meetAfterwards(fault, cause, call, named);
    this.#ledger.append('fault', 'scenario', cause, { fault, ...named });
    if (fault.handled === 'late') this.#late.push({ cause, call, fault });
    else if (fault.answer === 'status' && isRefusal(fault.status ?? 0)) {
      this.#ledger.append('refusal', 'scenario', cause, {
        ...named,
        ...carried,
        ...(fault.status === undefined ? {} : { status: fault.status }),
        note: 'The scenario makes the vendor refuse this call.',
      });
    }
    return this.#faultyAnswer(fault);
  }

  /** The vendor handles the call, then its answer meets the fault. */
  #meetAfterwards(
    fault: CallFault,
    cause: ClientCause,
    call: RoutedCall,
    named: { target?: string },
  ): VendorOutcome {
    const own = this.#handle(cause, call, fault);
    if (fault.answer === 'other') return this.#answerWithAnother(fault, cause, call, own);
    this.#ledger.append('fault', 'scenario', cause, { fault, ...named });
    if (fault.answer === 'own') return this.#answer(own);
    if (fault.answer === 'slow') return this.#answer(own, fault.afterMs ?? slowMs);
    return this.#faultyAnswer(fault);
  }

  #answerWithAnother(fault: CallFault, cause: ClientCause, call: RoutedCall, own: Handled): VendorOutcome {
    const { operation } = call;
    const other = own.order === undefined ? undefined : this.#book.neighbour(own.order);
    if (other === undefined || operation.action !== 'read-order') return this.#answer(own, fault.afterMs);
    this.#ledger.append('fault', 'scenario', cause, { fault, target: other.resource, order: other });
    return this.#answer(this.#operations.orderAnswer(operation, other), fault.afterMs);
  }

  #handle(cause: ClientCause, call: RoutedCall, fault: CallFault): Handled {
    const own = this.#operations.handle(cause, call);
    if (fault.forget === true && own.order !== undefined) this.#book.forget(own.order);
    return own;
  }

  /** Late creates reach the book, each on its own call's credential and step. */
  #land(creates: readonly LateCreate[], now: number): void {
    this.#late = this.#late.filter((late) => !creates.includes(late));
    for (const { cause, call, fault } of creates) this.#handle({ ...cause, at: now }, call, fault);
  }

  #placeStrangers({ resource: id, target }: StrangersOrder, at: number): void {
    const resource = this.#book.resource(id);
    if (resource === undefined) return;
    const cause: Cause = { at, credential: strangersCredential, step: null, call: null };
    this.#book.place('scenario', cause, { resource, target, key: null, credential: strangersCredential });
  }

  #answer({ status, body }: Handled, afterMs = this.#model.answerMs): VendorOutcome {
    return { kind: 'answer', status, headers: { 'content-type': 'application/json' }, body, afterMs };
  }

  /** An answer that is not the vendor's own. */
  #faultyAnswer(fault: CallFault): VendorOutcome {
    const { answer, status = 0, body, retryAfterS } = fault;
    const afterMs = fault.afterMs ?? this.#model.answerMs;
    if (answer === 'dropped' || answer === 'unopened') return { kind: answer, afterMs };
    const outcome = this.#answer(this.#operations.error(this.#failure(status)), afterMs);
    if (outcome.kind !== 'answer') return outcome;
    if (body !== undefined) outcome.body = structuredClone(body);
    if (retryAfterS !== undefined) outcome.headers['retry-after'] = String(retryAfterS);
    return outcome;
  }

  /** What the vendor says with this status. */
  #failure(status: number): ErrorAnswer {
    const { listed, other } = this.#model.failures;
    return listed.find((each) => each.status === status) ?? { ...other, status };
  }
}
