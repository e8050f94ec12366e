/** A run as a floor to look at: one frame for each ledger row, drawn from the states that the rows left. */
import { bookAt } from '../../evidence/book.ts';
import type { Evidence, LedgerRow, OrderState, ResourceState } from '../../evidence/evidence.ts';
import { rowText } from '../../evidence/rowText.ts';
import type { Json } from '../../json.ts';
import { FLOOR } from './types.ts';

export interface RobotFrame {
  id: string;
  x: number;
  y: number;
  status: string;
  battery: number;
  /** Id of the order that it carries out, or null. */
  running: string | null;
}

export interface OrderFrame {
  id: string;
  robot: string;
  x: number;
  y: number;
  status: string;
  /** Placed under another credential than the run's. */
  stranger: boolean;
}

export interface Frame {
  seq: number;
  /** ms of the run. */
  at: number;
  kind: LedgerRow['kind'];
  text: string;
  robots: RobotFrame[];
  orders: OrderFrame[];
}

export interface Replay {
  /** Units of the floor's side. */
  floor: number;
  frames: Frame[];
}

/** Where what is drawn last and the vendor's record differ; empty: they agree. */
export interface ReplayCheck {
  robots: number;
  orders: number;
  differences: string[];
}

export function replayOf(evidence: Pick<Evidence, 'ledger'>): Replay {
  const frames = evidence.ledger.map((row): Frame => {
    const { resources, orders } = bookAt(evidence.ledger, row.seq);
    return {
      seq: row.seq,
      at: row.at,
      kind: row.kind,
      text: rowText(row),
      robots: [...resources.values()].flatMap(robotFrame),
      orders: [...orders.values()].flatMap(orderFrame),
    };
  });
  return { floor: FLOOR, frames };
}

/** Compares the last frame with the record that was read after the run. */
export function checkReplay({ frames }: Replay, { record }: Pick<Evidence, 'record'>): ReplayCheck {
  const last = frames.at(-1);
  const recorded = record.resources.flatMap(robotFrame);
  const ordered = record.orders.flatMap(orderFrame);
  const differences = [
    ...recorded.flatMap((robot) =>
      differing(
        last?.robots.find(({ id }) => id === robot.id),
        robot,
      ),
    ),
    ...ordered.flatMap((order) =>
      differing(
        last?.orders.find(({ id }) => id === order.id),
        order,
      ),
    ),
  ];
  return { robots: recorded.length, orders: ordered.length, differences };
}

function differing<State extends { id: string; x: number; y: number; status: string }>(
  drawn: State | undefined,
  recorded: State,
): string[] {
  if (drawn === undefined) return [`${recorded.id} is in the record and was not drawn.`];
  const same = drawn.x === recorded.x && drawn.y === recorded.y && drawn.status === recorded.status;
  if (same) return [];
  const words = ({ x, y, status }: State) => `${status} at ${x},${y}`;
  return [`${recorded.id} was drawn ${words(drawn)}; the record has it ${words(recorded)}.`];
}

function robotFrame({ id, status, running, fields }: ResourceState): RobotFrame[] {
  const place = placeOf(fields.pose);
  const { battery } = fields;
  return place ? [{ id, ...place, status, battery: typeof battery === 'number' ? battery : 0, running }] : [];
}

function orderFrame({ id, resource, target, status, credential }: OrderState): OrderFrame[] {
  const place = placeOf(target);
  return place ? [{ id, robot: resource, ...place, status, stranger: credential !== 1 }] : [];
}

function placeOf(value: Json | undefined): { x: number; y: number } | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { x, y } = value;
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : null;
}
