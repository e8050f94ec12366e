/** What only the adapters of a project together can tell. */
import type { Settings } from '../../../shared/src/settings.ts';
import type { Operation, Surface } from '../../../shared/src/surface/surface.ts';
import type { AdapterFacts, TextSpan } from '../analysis/facts.ts';
import { type Found, found, type LintFinding, quickFix, type TextFile } from './finding.ts';
import { lineSpan } from './grantRoute.ts';
import { weighed } from './lint.ts';

export interface ProjectLintInput {
  surface: Surface;
  grant: TextFile;
  /** Of every adapter of the project; null: one could not be read. */
  adapters: readonly (AdapterFacts | null)[];
  settings: Pick<Settings, 'severity'>;
}

/** Findings in the grant. */
export function lintProject(input: ProjectLintInput): LintFinding[] {
  return weighed(unusedGrants(input), input.settings);
}

/**
 * Routes that no adapter uses. Nothing is said without an adapter, and nothing while one of them might use anything:
 * it cannot be read, or takes an operation whose name is known only when it runs.
 */
function unusedGrants({ surface, grant, adapters }: ProjectLintInput): Found[] {
  const used = usedNames(adapters);
  if (used === null) return [];
  const routes = new Map<string, Operation[]>();
  for (const operation of surface.operations) {
    if (operation.grant === null || operation.grant.source.file !== grant.file) continue;
    const { route } = operation.grant;
    routes.set(route, [...(routes.get(route) ?? []), operation]);
  }
  return [...routes].flatMap(([route, operations]) => {
    const [first] = operations;
    const isUsed = operations.some(({ name }) => used.has(name) || name === surface.health);
    return first === undefined || isUsed ? [] : [unused(grant, route, first)];
  });
}

function usedNames(adapters: ProjectLintInput['adapters']): ReadonlySet<string> | null {
  const names = new Set<string>();
  for (const facts of adapters) {
    if (facts === null || facts.syntaxErrors.length > 0) return null;
    for (const { kind, name } of facts.uses) {
      if (kind === 'dynamic') return null;
      if (name !== null) names.add(name);
    }
  }
  return adapters.length === 0 ? null : names;
}

function unused(grant: TextFile, route: string, { name, grant: given }: Operation): Found {
  const line = lineSpan(grant.text, given?.source.start.line ?? 0);
  const span: TextSpan = {
    start: line.start + (given?.source.start.character ?? 0),
    end: line.start + (given?.source.end.character ?? 0),
  };
  const message = `No adapter here uses ${name}: leave ${route} out, and nothing can call it by mistake.`;
  const edits = [{ file: grant.file, span: wholeLine(grant.text, line), newText: '' }];
  return found('unused-grant', message, span, { fixes: [quickFix(`Remove ${route}`, edits)] });
}

/** A line with its end. */
function wholeLine(text: string, { start, end }: TextSpan): TextSpan {
  return { start, end: end + (/^(?:\r\n|\r|\n)/.exec(text.slice(end, end + 2))?.[0].length ?? 0) };
}
