/// <reference lib="dom" />
/** A run over its time: the adapter's calls above, the vendor's rows below, and where the replay stands. */
import type { ShownRun } from '../views/messages.ts';
import { svg } from './page.ts';

const WIDTH = 600;
const LEFT = 70;
const LANE = 22;
const LANES = ['calls', 'orders', 'world', 'trouble'] as const;
type Lane = (typeof LANES)[number];

/** Lane of a ledger row, by its kind; what is not here is of the world. */
const OF_KIND = new Map<string, Lane>([
  ['order', 'orders'],
  ['repeat', 'orders'],
  ['start', 'orders'],
  ['end', 'orders'],
  ['cancel', 'orders'],
  ['fault', 'trouble'],
  ['refusal', 'trouble'],
]);

interface Mark {
  lane: Lane;
  at: number;
  text: string;
  bad: boolean;
  /** Of a ledger row: its frame. */
  frame: number | null;
}

/** The rows beside it say the same in words, so for a screen reader it is one picture with a name. */
export function timelineOf({ replay, calls }: ShownRun, at: number, go: (frame: number) => void): Element {
  const marks: Mark[] = [
    ...calls.map(({ at: time, text, good }) => ({
      lane: 'calls' as const,
      at: time,
      text,
      bad: !good,
      frame: null,
    })),
    ...replay.frames.map(({ at: time, kind, text }, frame) => {
      const lane = OF_KIND.get(kind) ?? 'world';
      return { lane, at: time, text, bad: lane === 'trouble', frame };
    }),
  ];
  const end = Math.max(1, ...marks.map(({ at: time }) => time));
  const x = (time: number) => LEFT + (time / end) * (WIDTH - LEFT - 10);
  const height = LANES.length * LANE;
  const now = x(replay.frames[at]?.at ?? 0);
  return svg(
    'svg',
    {
      class: 'timeline',
      viewBox: `0 0 ${WIDTH} ${height + 18}`,
      role: 'img',
      'aria-label': `Timeline: ${calls.length} calls and ${replay.frames.length} ledger rows in ${seconds(end)}`,
    },
    ...LANES.flatMap((lane, index) => [
      svg('text', { x: 0, y: index * LANE + 15 }, lane),
      svg('line', { x1: LEFT, x2: WIDTH - 10, y1: middle(index), y2: middle(index) }),
    ]),
    svg('line', { class: 'now', x1: now, x2: now, y1: 0, y2: height }),
    ...marks.map((mark) => markOf(mark, x(mark.at), go)),
    svg('text', { x: LEFT, y: height + 14 }, '0 s'),
    svg('text', { x: WIDTH - 10, y: height + 14, 'text-anchor': 'end' }, seconds(end)),
  );
}

const middle = (lane: number): number => lane * LANE + LANE / 2;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Round where all is well, a cross where not: shape tells what colour tells. */
function markOf({ lane, at, text, bad, frame }: Mark, x: number, go: (frame: number) => void): SVGElement {
  const y = middle(LANES.indexOf(lane));
  const shape = bad
    ? svg('path', { d: `M${x - 4} ${y - 4}L${x + 4} ${y + 4}M${x - 4} ${y + 4}L${x + 4} ${y - 4}` })
    : svg('circle', { cx: x, cy: y, r: 3.5 });
  return svg(
    'g',
    { class: `mark${bad ? ' bad' : ''}`, ...(frame === null ? {} : { click: () => go(frame) }) },
    svg('title', {}, `${seconds(at)}: ${text}`),
    shape,
  );
}
