/** The door to the semantic core. TypeScript is loaded when the returned promise is first asked for, not at start. */
import type { Analysis, AnalysisInput } from './analysis.ts';

export type CreateAnalysis = (input: AnalysisInput) => Analysis;

let loading: Promise<CreateAnalysis> | undefined;

/** Loads TypeScript once per process (some 3 MB of code). A failed load is tried again by the next call. */
export function loadAnalysis(): Promise<CreateAnalysis> {
  loading ??= import('./createAnalysis.ts').then(
    ({ createAnalysis }) => createAnalysis,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
