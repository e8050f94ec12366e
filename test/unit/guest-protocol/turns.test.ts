/** Who runs when on the guest's virtual clock: the order in which answers, timers and questions follow each other. */
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../sandbox-images/guest/clock.ts';
import { VirtualTurns } from '../../../sandbox-images/guest/turns.ts';
import type { AdvanceParams, AdvanceResult } from '../../../shared/src/guestProtocol.ts';

/** A guest whose host is the test: `events` is what happened, with the virtual time of each. */
function scene() {
  const clock = new VirtualClock();
  const events: string[] = [];
  const asked: AdvanceParams[] = [];
  let reply: (answer: AdvanceResult) => void = () => undefined;
  const turns = new VirtualTurns(clock, (params) => {
    asked.push(params);
    return new Promise((resolve) => {
      reply = resolve;
    });
  });
  const note = (name: string) => events.push(`${clock.now()} ${name}`);
  const settle = async () => {
    for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    ...{ clock, turns, events, asked, note, settle },
    async open(step = 0) {
      turns.opened(step);
      await settle();
    },
    async pass(now: number, until = now) {
      reply({ now, until });
      await settle();
    },
  };
}

describe('the virtual clock', () => {
  test('runs timers by time and then by start, and not those stopped meanwhile', () => {
    const clock = new VirtualClock();
    const ran: string[] = [];
    clock.start(() => ran.push('b'), 20, false);
    clock.start(
      () => {
        ran.push('a');
        clock.stop(stopped);
      },
      10,
      false,
    );
    const stopped = clock.start(() => ran.push('never'), 20, false);
    clock.start(() => ran.push('c'), 20, false);
    expect(clock.earliest()).toBe(10);
    clock.moveTo(20);
    expect(ran).toEqual([]);
    while (clock.runDue());
    expect([ran, clock.turns, clock.earliest(), clock.now()]).toEqual([['a', 'b', 'c'], 3, null, 20]);
  });

  test('repeats a timer until it is stopped', () => {
    const clock = new VirtualClock();
    const at: number[] = [];
    const timer = clock.start(() => at.push(clock.now()), 5, true);
    for (const time of [5, 10, 15]) {
      expect(clock.earliest()).toBe(time);
      clock.moveTo(time);
      while (clock.runDue());
    }
    clock.stop(timer);
    clock.moveTo(100);
    expect([at, clock.runDue(), clock.earliest()]).toEqual([[5, 10, 15], false, null]);
  });

  test('never goes back', () => {
    const clock = new VirtualClock();
    clock.moveTo(10);
    clock.moveTo(5);
    expect(clock.now()).toBe(10);
  });
});

describe('turns', () => {
  test('an idle adapter asks once, with its earliest timer, and nothing before a step', async () => {
    const { clock, asked, open, settle } = scene();
    clock.start(() => undefined, 7, false);
    await settle();
    expect(asked).toEqual([]);
    await open(3);
    expect(asked).toEqual([{ step: 3, timer: 7, turns: 0 }]);
  });

  test('answers that came before the advance are handed over after time has moved, before timers due then', async () => {
    const { clock, turns, events, note, open, pass, settle } = scene();
    clock.start(() => note('timer'), 20, false);
    await open();
    turns.deliver(() => note('first answer'));
    turns.deliver(() => note('second answer'));
    await settle();
    expect(events).toEqual([]);
    await pass(20);
    expect(events).toEqual(['20 first answer', '20 second answer', '20 timer']);
  });

  test('microtasks of one turn end before the next begins', async () => {
    const { turns, note, events, open, pass } = scene();
    await open();
    for (const name of ['a', 'b']) {
      turns.deliver(() => {
        note(name);
        void (async () => {
          for (let tick = 0; tick < 20; tick += 1) await undefined;
          note(`${name} later`);
        })();
      });
    }
    await pass(1);
    expect(events).toEqual(['1 a', '1 a later', '1 b', '1 b later']);
  });

  test('passes its own timers before the host’s next event without asking', async () => {
    const { clock, asked, note, events, open, pass } = scene();
    clock.start(() => note('tick'), 10, true);
    await open();
    await pass(10, 35);
    expect(events).toEqual(['10 tick', '20 tick', '30 tick']);
    expect(asked).toEqual([
      { step: 0, timer: 10, turns: 0 },
      { step: 0, timer: 40, turns: 3 },
    ]);
  });

  test('asks again once it has sent a call', async () => {
    const { clock, turns, asked, note, events, open, pass } = scene();
    clock.start(
      () => {
        note('tick');
        if (clock.now() === 20) turns.callSent();
      },
      10,
      true,
    );
    await open();
    await pass(10, 1_000);
    expect(events).toEqual(['10 tick', '20 tick']);
    expect(asked.at(-1)).toEqual({ step: 0, timer: 30, turns: 2 });
  });

  test('asks anew in every step', async () => {
    const { clock, turns, events, asked, note, open, pass } = scene();
    await open();
    turns.deliver(() => turns.settled(() => note('answered')));
    await pass(5, 1_000);
    expect(events).toEqual(['5 answered']);
    clock.start(() => undefined, 1, false);
    await open(1);
    expect(asked.at(-1)).toEqual({ step: 1, timer: 6, turns: 0 });
  });

  test('a step is answered when the adapter is idle: after its microtasks, answers and timers due', async () => {
    const { clock, turns, events, note, open, pass } = scene();
    clock.start(() => note('timer'), 20, false);
    await open();
    turns.deliver(() => turns.settled(() => note('answered')));
    turns.deliver(() => note('another answer'));
    await pass(20);
    expect(events).toEqual(['20 another answer', '20 timer', '20 answered']);
  });

  test('time stands still between steps', async () => {
    const { clock, turns, events, note, asked, open, pass } = scene();
    await open();
    turns.deliver(() => {
      clock.start(() => note('left over'), 1, false);
      turns.settled(() => note('answered'));
    });
    await pass(5, 1_000);
    expect([events, asked.length]).toEqual([['5 answered'], 1]);
  });
});
