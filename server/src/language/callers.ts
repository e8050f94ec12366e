/** Which adapters of a folder call which operation. */
import { markdownCode, SUMMARY_LENGTH } from '../../../shared/src/text.ts';
import type { AdapterFacts } from '../analysis/facts.ts';
import type { ProjectView } from './feature.ts';

/** Facts of every adapter of the folder; null: one could not be read. */
export async function adapterFacts(
  view: ProjectView,
): Promise<{ adapter: string; facts: AdapterFacts | null }[]> {
  const all: { adapter: string; facts: AdapterFacts | null }[] = [];
  for (const adapter of view.adapters()) {
    all.push({ adapter, facts: await view.facts(adapter) });
    // Many adapters take a while; the server stays awake between them.
    await new Promise(setImmediate);
  }
  return all;
}

/** Paths of adapters, in order, by the name of the operation that they call. */
export async function callersByOperation(view: ProjectView): Promise<ReadonlyMap<string, readonly string[]>> {
  const callers = new Map<string, string[]>();
  for (const { adapter, facts } of await adapterFacts(view)) {
    const names = new Set(facts?.uses.map(({ name }) => name) ?? []);
    for (const name of names) if (name !== null) callers.set(name, [...(callers.get(name) ?? []), adapter]);
  }
  return callers;
}

/** One sentence of markdown. */
export async function callersSentence(view: ProjectView, operation: string): Promise<string> {
  const callers = (await callersByOperation(view)).get(operation) ?? [];
  return callers.length === 0
    ? 'No adapter here calls it.'
    : `Called by ${callers.map((file) => markdownCode(file, SUMMARY_LENGTH)).join(', ')}`;
}
