/**
 * Date, Intl, performance and Math.random of the adapter's realm, on the run's clock and seed. This function's text
 * runs inside the realm: it may use nothing but ECMAScript globals and what it is given.
 */

/** `now`: ms since the start of the run. `epoch`: ms since 1970 at that start. `random`: where chance starts. */
export function installTime(now: () => number, epoch: number, random: number): void {
  const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const { floor, imul } = Math;
  const RealDate = Date;
  const wallClock = () => floor(epoch + now());

  const method = (target: object, name: string, value: unknown) => {
    defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
  };

  const dateText = RealDate.prototype.toString;
  const RunDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      construct(target, args.length === 0 ? [wallClock()] : args, newTarget) as object,
    apply: (target) => apply(dateText, new target(wallClock()), []),
  });
  method(RealDate, 'now', { now: () => wallClock() }.now);
  method(RealDate.prototype, 'constructor', RunDate);
  method(globalThis, 'Date', RunDate);

  // Only the calls without a date read the time.
  const formats = Intl.DateTimeFormat.prototype;
  const { formatToParts } = formats;
  const bound = new WeakMap<object, unknown>();
  const { get, set } = bound;
  const format = getOwnPropertyDescriptor(formats, 'format')?.get as () => (date: unknown) => string;
  defineProperty(formats, 'format', {
    get(this: Intl.DateTimeFormat) {
      const known = apply(get, bound, [this]);
      if (known !== undefined) return known;
      const real = apply(format, this, []);
      const runFormat = (date?: unknown) => real(date === undefined ? wallClock() : date);
      apply(set, bound, [this, runFormat]);
      return runFormat;
    },
    enumerable: false,
    configurable: true,
  });
  method(
    formats,
    'formatToParts',
    {
      formatToParts(this: Intl.DateTimeFormat, date?: Date | number) {
        return apply(formatToParts, this, [date === undefined ? wallClock() : date]);
      },
    }.formatToParts,
  );

  method(globalThis, 'performance', { now: () => now(), timeOrigin: epoch });

  // mulberry32, two draws to a number so that all 53 bits are used.
  let state = random >>> 0;
  const draw = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  method(Math, 'random', { random: () => ((draw() >>> 5) * 67_108_864 + (draw() >>> 6)) / 2 ** 53 }.random);
}
