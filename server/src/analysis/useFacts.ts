/** Uses of the client as facts, each with the exports that reach it. */
import type { AnalysedFile } from './analysedFile.ts';
import type { ClientUse } from './facts.ts';
import { Reach } from './reach.ts';

export function useFacts(file: AnalysedFile): ClientUse[] {
  const reach = new Reach(file);
  return file.clientUses.flatMap((use) => {
    const span = file.toReal(use.nameNode);
    const whole = file.toReal(use.node);
    if (span === null || whole === null) return [];
    const { kind, name, how } = use;
    return [
      {
        kind,
        name,
        span,
        whole,
        reachedFrom: reach.reachedFrom(use.node),
        ...(how !== undefined && { how }),
      },
    ];
  });
}
