/** Addresses of virtual ledgers. They name the run, so that a link never shows another run's ledger. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LEDGER_SCHEME } from '../../../shared/src/protocol.ts';

export interface LedgerOf {
  /** Absolute path of the verdict file, which of a draft need not exist. */
  verdictFile: string;
  /** A signed run: its line, from 1, and its id. A draft: its id in this session, and its scenario. */
  run: { line: number; id: string } | { draft: string; scenario: string };
}

export function ledgerUri({ verdictFile, run }: LedgerOf): string {
  const query =
    'line' in run ? `line=${run.line}&run=${run.id}` : `draft=${run.draft}&scenario=${run.scenario}`;
  return `${LEDGER_SCHEME}:${pathToFileURL(verdictFile).pathname}?${query}`;
}

/** Of an address as it was given or as an editor writes it, which may escape all of it. null: it is none. */
export function ledgerOf(uri: string): LedgerOf | null {
  const found = /^[^:]+:([^?]*)\?(.*)$/.exec(uri);
  if (found === null) return null;
  try {
    const query = new URLSearchParams(decodeURIComponent(found[2] ?? ''));
    const verdictFile = fileURLToPath(`file://${found[1]}`);
    const [line, id, draft, scenario] = ['line', 'run', 'draft', 'scenario'].map((name) => query.get(name));
    if (line && id) return { verdictFile, run: { line: Number(line), id } };
    return draft && scenario ? { verdictFile, run: { draft, scenario } } : null;
  } catch {
    return null;
  }
}
