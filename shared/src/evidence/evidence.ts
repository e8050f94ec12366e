/** What a run leaves behind: plain JSON, from which alone a verdict is made. */
import type { InvocationResult, Sent, Site } from '../guestProtocol.ts';
import type { Json, JsonObject } from '../json.ts';

export type OrderStatus = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** An order as the vendor's book holds it. */
export interface OrderState {
  id: string;
  resource: string;
  /** The idempotency key the create carried (fleet: command_id), or null. */
  key: string | null;
  /** What was ordered (fleet: target). */
  target: Json;
  status: OrderStatus;
  /** Units done so far. */
  progress: number;
  /** Number of the credential that placed it. */
  credential: number;
  error: string | null;
}

export interface ResourceState {
  id: string;
  status: string;
  /** Id of its running order, or null. */
  running: string | null;
  /** The other fields (fleet: battery, pose). */
  fields: JsonObject;
}

export type LedgerKind =
  /** First row: the book as the run found it (`resources`). */
  | 'opened'
  /** A create was accepted as a new order. */
  | 'order'
  /** A create carried a known key: the original was meant as the answer. */
  | 'repeat'
  | 'start'
  | 'read'
  | 'move'
  /** What the scenario did to a call or to the world. */
  | 'fault'
  /** A call was refused (4xx), 401 and 404 included. */
  | 'refusal'
  | 'cancel'
  /** An order ended: done, failed or cancelled. */
  | 'end';

export interface LedgerRow {
  /** From 1, without gaps. */
  seq: number;
  /** Milliseconds since the start of the run. */
  at: number;
  kind: LedgerKind;
  /** `client`: a call asked for it. `vendor`: it follows from the book. `scenario`: the scenario did it. */
  by: 'client' | 'vendor' | 'scenario';
  /** 1: this run's; 2: a stranger's; null: none was involved or it did not verify. */
  credential: number | null;
  /** The step whose call this is (of a late create: the step it was sent in), or null. */
  step: number | null;
  /** `seq` of the trace row of that call, or null. */
  call: number | null;
  /** Name of the operation called. */
  operation?: string;
  /** Status the vendor's own handling gave, before a fault replaced the answer. */
  status?: number;
  /** Of `fault`: what was done. */
  fault?: CallFault | WorldFault;
  /** Of `refusal`: the reason. Of `end`: why. A sentence of ours. */
  note?: string;
  /** The key that the refused or repeated create carried, or null. */
  key?: string | null;
  /** Resource that the call named, also where nothing was placed. */
  target?: string;
  /** The states this row left. */
  order?: OrderState;
  resource?: ResourceState;
  /** Of `opened`. */
  resources?: ResourceState[];
}

/** A fault of one call, as data: which call meets it and what happens to it. */
export interface CallFault {
  kind: 'call';
  /** null: any step. */
  step: number | null;
  operation: string;
  /** The nth call (from 1) of that operation in that step that reaches the vendor (shed ones do not); `count` of them in a row (default 1; null: all from there on). */
  nth: number;
  count?: number | null;
  /** Whether the vendor handles the request: not at all, before the answer, or late (see `late`). */
  handled: 'no' | 'yes' | 'late';
  /**
   * `own`: the vendor's own answer. `status`: `status`, `body` and `retryAfterS` replace it. `dropped`: the connection
   * closes after the request was read. `unopened`: no connection. `slow`: the own answer after `afterMs`.
   * `other`: a read answers with another order's state.
   */
  answer: 'own' | 'status' | 'dropped' | 'unopened' | 'slow' | 'other';
  status?: number;
  retryAfterS?: number;
  body?: Json;
  afterMs?: number;
  /** The vendor does not recognise the order's key in a repeat. */
  forget?: boolean;
}

/** Something that the world does. */
export type WorldFault =
  /** The resource faults at its nth move (from 1, over the whole run): its running order fails there. */
  | { kind: 'resourceFault'; resource: string; atMove: number }
  /** Another client's order is accepted under credential 2, just before that call arrives. */
  | {
      kind: 'strangersOrder';
      resource: string;
      target: Json;
      before: { step: number; operation: string; nth: number };
    };

export type FaultSchedule = (CallFault | WorldFault)[];

/** Metadata of one brokered call: no path values, bodies or tokens. */
export interface TraceRow {
  /** From 1; the `call` of ledger rows. */
  seq: number;
  /** Arrival, ms since the start of the run. */
  at: number;
  /** ms until its answer was due; null: the run ended first. */
  elapsed: number | null;
  /** The step open when it arrived, or null. */
  step: number | null;
  method: string;
  /** Path template of the operation, or null where the document has none for it. */
  route: string | null;
  /** Name of the operation, or null. */
  operation: string | null;
  /** Status delivered to the adapter; 0: none. */
  status: number;
  origin: 'broker' | 'vendor';
  sent: Sent;
  /** Why the broker refused, where it did: `shed`, `budget`, `route`, ... */
  refused?: RefusedBy;
  requestBytes: number;
  answerBytes: number;
  site?: Site;
  /** Of a row that stands for several sheds in a row. */
  count?: number;
  /** What the document's schema says against it. */
  notes?: string[];
}

export type RefusedBy =
  | 'no-step'
  | 'run-ended'
  | 'in-flight'
  | 'budget'
  | 'route'
  | 'route-budget'
  | 'shed'
  | 'body';

export interface StepRecord {
  step: number;
  invocation: number;
  export: string;
  args: Json[];
  /** What the contract means by it (fleet: `{kind: 'dispatch', command: 'c1'}`). */
  about: Json;
  startedAt: number;
  /** Ledger rows there were when it started. */
  ledgerFrom: number;
  /** Absent: it never settled. */
  result?: InvocationResult;
  returnedAt?: number;
  /** Ledger and trace rows there were when it settled: the moment it is judged at. */
  ledgerTo?: number;
  traceTo?: number;
}

/** How the run ended, on the host's word. */
export type RunEnd =
  | { kind: 'complete' }
  /** `reason` is a stable word, `text` a sentence. */
  | { kind: 'broken'; reason: BrokenReason; text: string; site?: Site };

export type BrokenReason =
  | 'load'
  | 'exports'
  | 'hang'
  | 'deadline'
  | 'virtual-budget'
  | 'timer-budget'
  | 'call-budget'
  | 'protocol'
  | 'call-outside-step'
  | 'guest-died'
  | 'memory';

export interface FinalRecord {
  resources: ResourceState[];
  orders: OrderState[];
}

export interface Evidence {
  contract: string;
  /** The contract's plan: commands, expected ends, faults. */
  plan: Json;
  steps: StepRecord[];
  trace: TraceRow[];
  ledger: LedgerRow[];
  /** The vendor's record after settling. */
  record: FinalRecord;
  end: RunEnd;
}

export interface RuleOutcome {
  id: string;
  held: boolean;
  /** One sentence: what the ledger shows. */
  text: string;
  /** Sequence numbers of the rows that show it. */
  ledger: number[];
  /** Places in the adapter that caused it, as claimed, most telling first. */
  sites: Site[];
}

export interface Judgement {
  verdict: 'qualified' | 'failed';
  rules: RuleOutcome[];
}
