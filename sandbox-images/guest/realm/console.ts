/**
 * The console of the adapter's realm. This function's text runs inside the realm: it may use nothing but ECMAScript
 * globals and what it is given.
 */

export function makeConsole(write: (values: unknown[]) => void, now: () => number): object {
  type Values = unknown[];
  const counts: Record<string, number> = Object.create(null);
  const starts: Record<string, number> = Object.create(null);
  const log = (...values: Values) => write(values);
  const elapsed = (label: string) => `${label}: ${now() - (starts[label] ?? now())}ms`;
  return {
    log,
    info: (...values: Values) => write(values),
    debug: (...values: Values) => write(values),
    warn: (...values: Values) => write(values),
    error: (...values: Values) => write(values),
    trace: (...values: Values) => write(values),
    dir: (value: unknown) => write([value]),
    table: (value: unknown) => write([value]),
    group: (...values: Values) => {
      if (values.length > 0) write(values);
    },
    groupCollapsed: (...values: Values) => {
      if (values.length > 0) write(values);
    },
    groupEnd: () => {},
    assert: (holds: unknown, ...values: Values) => {
      if (!holds) write(['Assertion failed', ...values]);
    },
    count: (label = 'default') => {
      counts[label] = (counts[label] ?? 0) + 1;
      write([`${label}: ${counts[label]}`]);
    },
    countReset: (label = 'default') => {
      counts[label] = 0;
    },
    time: (label = 'default') => {
      starts[label] = now();
    },
    timeLog: (label = 'default') => write([elapsed(label)]),
    timeEnd: (label = 'default') => {
      write([elapsed(label)]);
      delete starts[label];
    },
  };
}
