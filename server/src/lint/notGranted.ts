import type { Operation } from '../../../shared/src/surface/surface.ts';
import type { ClientUse } from '../analysis/facts.ts';
import { type Fix, type Found, found, type LintInput, quickFix, type TextFile } from './finding.ts';
import { grantRouteEdit, routeLine } from './grantRoute.ts';

/** An operation that is named and called nowhere counts once, where it is named first. */
export function notGranted(input: LintInput): Found[] {
  const operations = new Map(input.surface.operations.map((operation) => [operation.name, operation]));
  const called = new Set(input.facts.uses.filter(({ kind }) => kind === 'call').map(({ name }) => name));
  const said = new Set<string | null>();
  return input.facts.uses.flatMap((use) => {
    const operation = operations.get(use.name ?? '');
    if (operation === undefined || operation.grant !== null) return [];
    if (use.kind === 'reference' && (called.has(use.name) || said.has(use.name))) return [];
    said.add(use.name);
    return [
      found('not-granted', sentence(use, operation), use.span, { fixes: grantFixes(input.grant, operation) }),
    ];
  });
}

function sentence({ kind }: ClientUse, { name, method, path, unusable }: Operation): string {
  if (unusable !== undefined) return `No client can call ${name}: ${unusable}`;
  const refused = kind === 'call' ? 'so the broker refuses this call' : 'so the broker refuses its calls';
  return `The grant does not allow ${name} (${method} ${path}), ${refused}.`;
}

/** None where no line can grant it. @param grant null: the grant cannot be read */
export function grantFixes(grant: TextFile | null, operation: Operation): Fix[] {
  if (grant === null || operation.unusable !== undefined) return [];
  const edit = grantRouteEdit(grant, operation);
  return edit === null ? [] : [quickFix(`Grant ${routeLine(operation)} in ${grant.file}`, [edit])];
}
