/**
 * Which operations a grant allows, operation by operation: a route grants the operation whose template has its shape,
 * and never one that its wildcards merely admit.
 */
import { didYouMean } from '../../../shared/src/nearest.ts';
import type { OperationGrant, SourceRange } from '../../../shared/src/surface/surface.ts';
import type { Grant, GrantRoute, RouteReference } from '../grant/grant.ts';
import type { Findings } from '../openapi/findings.ts';
import type { ApiDocument, DocumentOperation } from '../openapi/model.ts';
import { checkRoute } from './checkRoute.ts';
import { documentedKey, type RepeatKey } from './keys.ts';
import type { MatchedGrant } from './matched.ts';

/** Unknown routes that are compared with every route of the document: as many as are shown. */
const MOST_HINTS = 100;

export function matchGrant(document: ApiDocument, grant: Grant, findings: Findings): MatchedGrant {
  const routes = new Routes(document, findings);
  const grants = new Map<DocumentOperation, OperationGrant>();
  for (const route of grant.routes) {
    const [operation, ...twins] = routes.find(route);
    if (operation === undefined) continue;
    const given = grantOf(route, operation);
    checkRoute({ route, operation, given, references: document.references, findings });
    if (operation.unusable !== undefined) continue;
    // Twins are one route: the broker, which takes the strictest of them, has to see it granted on each.
    for (const each of [operation, ...twins]) grants.set(each, given);
  }
  const health = grant.health && routes.find(grant.health)[0]?.name;
  const batches = grant.batches.flatMap(({ by, served }) => {
    const names = { by: routes.find(by)[0]?.name, served: routes.find(served)[0]?.name };
    return names.by !== undefined && names.served !== undefined
      ? [{ by: names.by, served: names.served }]
      : [];
  });
  return { grants, ...(health !== undefined && { health }), batches };
}

class Routes {
  readonly #findings: Findings;
  readonly #operations = new Map<string, DocumentOperation[]>();
  /** Routes so far that the document lacks. */
  #unknown = 0;

  constructor(document: ApiDocument, findings: Findings) {
    this.#findings = findings;
    for (const operation of document.operations) {
      const route = `${operation.method} ${operation.shape}`;
      const known = this.#operations.get(route);
      if (known) known.push(operation);
      else this.#operations.set(route, [operation]);
    }
  }

  /** The operation of this route and its twins, or none and a warning. */
  find({ method, path, range }: RouteReference): readonly DocumentOperation[] {
    const route = `${method} ${path}`;
    const found = this.#operations.get(route);
    if (found) return found;
    this.#missing(route, path, range);
    return [];
  }

  #missing(route: string, path: string, range: SourceRange): void {
    this.#unknown += 1;
    if (this.#unknown > MOST_HINTS) {
      this.#findings.add('route-not-in-document', 'warning', range, `The document has no ${route}.`);
      return;
    }
    const known = [...this.#operations.keys()];
    const methods = known.filter((other) => other.endsWith(` ${path}`)).map((other) => other.split(' ')[0]);
    const hint = methods.length > 0 ? ` The path has ${methods.join(', ')}.` : didYouMean(route, known);
    this.#findings.add('route-not-in-document', 'warning', range, `The document has no ${route}.${hint}`);
  }
}

function grantOf(route: GrantRoute, operation: DocumentOperation): OperationGrant {
  const { safe, max, source } = route;
  const headers = route.headers.map(({ text }) => text.toLowerCase());
  if (route.key?.in === 'header') headers.push(route.key.name.toLowerCase());
  const key = keyOf(route, operation, headers);
  return {
    route: `${route.method} ${route.path}`,
    query: route.query.map(({ text }) => text),
    headers: [...new Set(headers)],
    ...(key && { key }),
    safe: safe !== undefined,
    ...(max && { max: max.calls }),
    source,
  };
}

/** The grant's own key, else the document's where its header is let through. */
function keyOf(
  { key }: GrantRoute,
  operation: DocumentOperation,
  headers: readonly string[],
): RepeatKey | undefined {
  if (key?.in === 'body') return { in: 'body', pointer: key.pointer };
  if (key !== undefined) return { in: key.in, name: key.name };
  const documented = documentedKey(operation);
  return documented && headers.includes(documented.name.toLowerCase()) ? documented : undefined;
}
