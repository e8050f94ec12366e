/** How long a vendor asks to be left alone, on the run's clock. */

/** Shortest and longest wait that a vendor's Retry-After can ask for, ms. */
export const WAIT = { shortest: 1000, longest: 30_000, usual: 1000 } as const;

/**
 * Milliseconds that a Retry-After field (RFC 9110, 10.2.3: seconds, or an HTTP date in one of its three forms) asks
 * for, clamped to 1 to 30 s; null where it is absent or makes no sense. `nowMs`: ms since 1970 on the run's clock.
 */
export function retryAfterMs(field: string | undefined, nowMs: number): number | null {
  if (field === undefined) return null;
  const text = field.trim();
  if (/^\d+$/.test(text)) return clamp(Number(text) * 1000);
  const date = httpDate(text);
  return date === null ? null : clamp(date - nowMs);
}

function clamp(ms: number): number {
  return Math.min(WAIT.longest, Math.max(WAIT.shortest, ms));
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
const IMF_FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`,
);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/** ms since 1970, or null. Only the three forms of HTTP: `Date.parse` alone reads far more than dates. */
function httpDate(text: string): number | null {
  const known = IMF_FIXDATE.test(text) || RFC_850.test(text);
  const readable = known ? text : ASCTIME.test(text) ? `${text} GMT` : null;
  const time = readable === null ? Number.NaN : Date.parse(readable);
  return Number.isNaN(time) ? null : time;
}
