/// <reference lib="dom" />
/** The floor as a picture: shapes tell what colours tell, so it reads in high contrast too. */
import type { Frame, OrderFrame, RobotFrame } from '../../../shared/src/contracts/fleet/replay.ts';
import { svg } from './page.ts';

const CELL = 40;
const MARGIN = 24;
const SHAPES = new Map([
  ['queued', '◇'],
  ['running', '▶'],
  ['done', '✓'],
  ['failed', '✗'],
  ['cancelled', '⊘'],
]);

export function floorOf(size: number, frame: Frame | undefined, label: string): SVGElement {
  const side = size * CELL + MARGIN;
  return svg(
    'svg',
    {
      viewBox: `0 0 ${side} ${side}`,
      role: 'img',
      'aria-label': `${label}: ${frame ? spoken(frame) : 'nothing'}`,
    },
    svg('g', { class: 'grid', 'aria-hidden': 'true' }, ...gridOf(size)),
    ...(frame
      ? [
          ...linesOf(size, frame),
          ...ordersOf(size, frame),
          ...frame.robots.map((robot) => robotOf(size, robot)),
        ]
      : []),
  );
}

/** The same as a sentence. */
export function spoken({ robots, orders }: Frame): string {
  const parts = robots.map(
    ({ id, x, y, status, battery }) => `${id} ${status} at ${x},${y}, battery ${battery} %`,
  );
  const placed = orders.map(
    ({ id, robot, x, y, status, stranger }) =>
      `${stranger ? "a stranger's order" : 'order'} ${id} on ${robot} to ${x},${y}: ${status}`,
  );
  return [...parts, ...placed].join('; ');
}

const left = (x: number): number => MARGIN + x * CELL;
/** 0 is at the bottom. */
const top = (size: number, y: number): number => (size - 1 - y) * CELL;

function gridOf(size: number): SVGElement[] {
  const cells = Array.from({ length: size * size }, (_, cell) =>
    svg('rect', { x: left(cell % size), y: Math.floor(cell / size) * CELL, width: CELL, height: CELL }),
  );
  const numbers = Array.from({ length: size }, (_, n) => [
    svg('text', { x: left(n) + CELL / 2, y: size * CELL + 16, 'text-anchor': 'middle' }, String(n)),
    svg('text', { x: MARGIN - 10, y: top(size, n) + CELL / 2 + 4, 'text-anchor': 'middle' }, String(n)),
  ]).flat();
  return [...cells, ...numbers];
}

/** From each robot to where it is going. */
function linesOf(size: number, { robots, orders }: Frame): SVGElement[] {
  return robots.flatMap((robot) => {
    const order = orders.find(({ id }) => id === robot.running);
    if (order === undefined) return [];
    const middle = (value: number) => value + CELL / 2;
    return [
      svg('line', {
        class: 'way',
        x1: middle(left(robot.x)),
        y1: middle(top(size, robot.y)),
        x2: middle(left(order.x)),
        y2: middle(top(size, order.y)),
      }),
    ];
  });
}

/** Orders on one cell stand side by side: two for one command is what must be seen. */
function ordersOf(size: number, { orders }: Frame): SVGElement[] {
  const cells = new Map<string, OrderFrame[]>();
  for (const order of orders) {
    const cell = `${order.x},${order.y}`;
    cells.set(cell, [...(cells.get(cell) ?? []), order]);
  }
  return [...cells.values()].flatMap((here) =>
    here.map((order, index) => orderOf(size, order, index, here.length)),
  );
}

function orderOf(size: number, order: OrderFrame, index: number, count: number): SVGElement {
  const width = (CELL - 6) / count;
  const x = left(order.x) + 3 + index * width;
  const y = top(size, order.y) + 3;
  return svg(
    'g',
    { class: `order ${order.status}${order.stranger ? ' stranger' : ''}` },
    svg('title', {}, `${order.id} on ${order.robot}: ${order.status}`),
    svg('rect', { x, y, width: width - 2, height: CELL - 6, rx: 3 }),
    svg(
      'text',
      { x: x + width / 2 - 1, y: y + 14, 'text-anchor': 'middle' },
      SHAPES.get(order.status) ?? '?',
    ),
    svg('text', { class: 'small', x: x + width / 2 - 1, y: y + 28, 'text-anchor': 'middle' }, order.robot),
  );
}

function robotOf(size: number, { id, x, y, status, battery }: RobotFrame): SVGElement {
  const cx = left(x) + CELL / 2;
  const cy = top(size, y) + CELL / 2;
  const body =
    status === 'fault'
      ? svg('polygon', { points: `${cx},${cy - 16} ${cx + 16},${cy + 13} ${cx - 16},${cy + 13}` })
      : svg('circle', { cx, cy, r: 14 });
  return svg(
    'g',
    { class: `robot ${status}` },
    svg('title', {}, `${id}: ${status}, battery ${battery} %`),
    body,
    svg('text', { x: cx, y: cy + 5, 'text-anchor': 'middle' }, id),
  );
}
