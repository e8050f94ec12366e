/** What a run could have asked for in fewer calls. Said after the run; it changes nothing. */
import type { TraceRow } from '../../../shared/src/evidence/evidence.ts';
import type { Operation, Surface } from '../../../shared/src/surface/surface.ts';
import { callsOf } from './traceLog.ts';
import type { Advice } from './types.ts';

/** Delivered calls of one route from which on fetching them one by one is worth a word. */
const FAN_OUT = 6;
/** Equal answers of one fixed route from which on reading it again is worth a word. */
const REPEATED = 4;

/** Advice over a run's trace; calls that failed are nobody's waste and count nowhere. */
export function advise(rows: readonly TraceRow[], surface: Surface): Advice[] {
  const delivered = rows.filter((row) => row.origin === 'vendor' && row.status >= 200 && row.status < 300);
  return [...fanOuts(delivered, surface), ...repeatedReads(delivered, surface)];
}

function fanOuts(rows: readonly TraceRow[], surface: Surface): Advice[] {
  return surface.batches.flatMap(({ by, served }) => {
    const batch = granted(surface, by);
    const single = granted(surface, served);
    if (batch === null || single === null || !single.path.includes('{')) return [];
    const calls = rows.filter((row) => row.operation === served);
    const saved = total(calls) - 1;
    if (saved + 1 < FAN_OUT) return [];
    const text =
      `${single.method} ${single.path} was called ${saved + 1} times; one ${batch.method} ${batch.path} answers them all` +
      ` and saves ${saved} calls.`;
    return [{ code: 'fan-out', text, saved, trace: calls.map((row) => row.seq) }];
  });
}

function repeatedReads(rows: readonly TraceRow[], surface: Surface): Advice[] {
  return surface.operations.flatMap((operation) => {
    if (operation.method !== 'GET' || operation.path.includes('{')) return [];
    const bySize = new Map<number, TraceRow[]>();
    for (const row of rows) {
      if (row.operation !== operation.name || row.requestBytes > 0) continue;
      const alike = bySize.get(row.answerBytes);
      if (alike) alike.push(row);
      else bySize.set(row.answerBytes, [row]);
    }
    return [...bySize].flatMap(([bytes, alike]): Advice[] => {
      const saved = total(alike) - 1;
      if (saved + 1 < REPEATED) return [];
      const text =
        `${operation.method} ${operation.path} was read ${saved + 1} times and each answer had ${bytes} bytes;` +
        ` keeping the first one would save up to ${saved} calls.`;
      return [{ code: 'repeated-read', text, saved, trace: alike.map((row) => row.seq) }];
    });
  });
}

function granted(surface: Surface, name: string): Operation | null {
  return surface.operations.find((operation) => operation.name === name && operation.grant !== null) ?? null;
}

function total(rows: readonly TraceRow[]): number {
  return rows.reduce((sum, row) => sum + callsOf(row), 0);
}
