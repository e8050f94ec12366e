import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../server/src/runner/clock.ts';

describe('the virtual clock', () => {
  test('moves to a time while nothing is due before it', async () => {
    const clock = new VirtualClock(0);
    await clock.advance(250);
    expect(clock.now()).toBe(250);
    expect(clock.next()).toBeNull();
  });

  test('moves to its own earliest event first, and runs all of that moment in order', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    clock.at(20, () => void ran.push('answer 1'));
    clock.at(20, async () => {
      await Promise.resolve();
      ran.push('answer 2');
      clock.at(20, () => void ran.push('scheduled for now'));
      clock.at(21, () => void ran.push('later'));
    });
    await clock.advance(1000);
    expect([clock.now(), ran]).toEqual([20, ['answer 1', 'answer 2', 'scheduled for now']]);
    await clock.advance(1000);
    expect([clock.now(), ran.at(-1)]).toEqual([21, 'later']);
    await clock.advance(1000);
    expect(clock.now()).toBe(1000);
  });

  test('a cancelled action never runs', async () => {
    const clock = new VirtualClock(0);
    let ran = 0;
    const cancel = clock.at(5, () => {
      ran += 1;
    });
    cancel();
    await clock.advance(10);
    expect([ran, clock.now()]).toEqual([0, 10]);
  });

  test('the guest never takes time back, nor past an event of the host', () => {
    const clock = new VirtualClock(0);
    clock.at(20, () => undefined);
    clock.moveTo(15);
    clock.moveTo(3);
    expect(clock.now()).toBe(15);
    clock.moveTo(500);
    expect(clock.now()).toBe(20);
  });

  test('runs actions by time, then in the order in which they were scheduled, whatever the order of asking', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 40 }), async (times) => {
        const clock = new VirtualClock(0);
        const ran: [number, number][] = [];
        times.forEach((time, order) => {
          clock.at(time, () => void ran.push([time, order]));
        });
        while (clock.next() !== null) await clock.advance(null);
        const expected = times.map((time, order): [number, number] => [time, order]);
        expect(ran).toEqual(expected.sort(([a, i], [b, j]) => a - b || i - j));
      }),
    );
  });
});
