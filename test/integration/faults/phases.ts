/** The phases of a qualification at which somebody dies: each names the exact moment at which everything stands still. */
import { join } from 'node:path';
import { holdAtReading } from './fifo.ts';
import type { Held, Moment } from './gate.ts';
import { VERDICTS, type World } from './world.ts';

export interface Phase<Name extends string = string> {
  name: Name;
  /** Arranges that the next run stands still there. */
  hold(world: World): Held;
}

const START = /^POST \S*\/containers\/\w+\/start/;
const ATTACHED = /^POST \S+\/attach/;

/** Bytes of the guest protocol. */
export function atAttached(direction: Moment['direction'], text: RegExp, nth = 1): Moment {
  return { direction, request: ATTACHED, text, nth };
}

function atGate<Name extends string>(name: Name, moment: Moment): Phase<Name> {
  return { name, hold: ({ gate }) => gate.holdAt(moment) };
}

export const PHASES = [
  atGate('the image is looked for', { direction: 'up', request: /^GET \S*\/images\/loadline/ }),
  {
    name: 'preflight',
    hold(world) {
      world.forget();
      return world.gate.holdAt({ direction: 'up', request: START });
    },
  },
  atGate('container created', { direction: 'up', request: START }),
  atGate('container started', { direction: 'down', request: START }),
  atGate('adapter loaded', atAttached('up', /"method":"step"/)),
  atGate('mid-step', atAttached('down', /"method":"call"/)),
  atGate('between steps', atAttached('up', /"method":"step"/, 2)),
  atGate('judged', { direction: 'up', request: /^DELETE / }),
  { name: 'signing', hold: ({ folder }) => holdAtReading(join(folder, `.${VERDICTS}.lock`)) },
  { name: 'verdict file written', hold: ({ keys }) => holdAtReading(join(keys, 'key.lock')) },
] as const satisfies Phase[];

export type PhaseName = (typeof PHASES)[number]['name'];
