/** What a granted route says that its operation does not have, and what it leaves out that the operation needs. */
import { didYouMean } from '../../../shared/src/nearest.ts';
import type { OperationGrant } from '../../../shared/src/surface/surface.ts';
import type { GrantKey, GrantRoute } from '../grant/grant.ts';
import type { Findings } from '../openapi/findings.ts';
import type { DocumentOperation } from '../openapi/model.ts';
import type { References } from '../openapi/references.ts';
import { parametersOf } from '../openapi/template.ts';
import { bodyHas, documentedKey, fieldLikeKey, isCreate } from './keys.ts';

export interface RouteCheck {
  route: GrantRoute;
  operation: DocumentOperation;
  given: OperationGrant;
  references: References;
  findings: Findings;
}

export function checkRoute(check: RouteCheck): void {
  const { route, operation, findings } = check;
  if (operation.unusable !== undefined) {
    findings.add(
      'unusable-route',
      'warning',
      route.range,
      `No client can call this operation: ${operation.unusable}`,
    );
    return;
  }
  unknownOptions(check);
  if (route.key) unknownKey(check, route.key);
  missingParameters(check);
  repeatKey(check);
}

function unknownOptions({ route, operation, findings }: RouteCheck): void {
  const query = namesIn(operation, 'query');
  for (const { text, range } of route.query) {
    if (query.includes(text)) continue;
    findings.add(
      'grant-unknown-query',
      'warning',
      range,
      `The operation has no query key "${text}".${didYouMean(text, query)}`,
    );
  }
  const headers = namesIn(operation, 'header');
  for (const { text, range } of route.headers) {
    if (headers.some((name) => name.toLowerCase() === text.toLowerCase())) continue;
    findings.add(
      'grant-unknown-header',
      'warning',
      range,
      `The operation has no header "${text}".${didYouMean(text, headers)}`,
    );
  }
}

/** A key header need not be documented: many vendors heed one that their document leaves out. */
function unknownKey({ route, operation, references, findings }: RouteCheck, key: GrantKey): void {
  if (key.in === 'path' && !parametersOf(operation.path).includes(key.name)) {
    const hint = didYouMean(key.name, parametersOf(operation.path));
    findings.add(
      'grant-unknown-key',
      'warning',
      key.range,
      `The path has no parameter "${key.name}".${hint}`,
    );
  }
  if (key.in !== 'body' || bodyHas(operation, references, key.pointer) !== false) return;
  const message = `The body of ${route.method} ${route.path} has no field at "${key.pointer}".`;
  findings.add('grant-unknown-key', 'warning', key.range, message);
}

function missingParameters({ route, operation, given, findings }: RouteCheck): void {
  const missing = operation.parameters.filter(({ name, required, in: place }) => {
    if (!required) return false;
    return place === 'query'
      ? !given.query.includes(name)
      : place === 'header' && !given.headers.includes(name.toLowerCase());
  });
  if (missing.length === 0) return;
  const words = missing
    .map(({ name, in: place }) => (place === 'query' ? `?${name}` : `header:${name}`))
    .join(' ');
  const message = `The operation needs what this route does not let through; add ${words}.`;
  findings.add('unusable-route', 'warning', route.range, message);
}

function repeatKey({ route, operation, given, references, findings }: RouteCheck): void {
  if (!isCreate(operation) || given.safe || given.key !== undefined) return;
  const advice = keyAdvice(operation, references);
  const message = `This creates something and has no key, so no adapter can repeat it safely after a lost answer. ${advice}`;
  findings.add('no-repeat-key', 'warning', route.range, message);
}

function keyAdvice(operation: DocumentOperation, references: References): string {
  const header = documentedKey(operation);
  if (header) return `The document has a header for it: add key:header:${header.name}.`;
  const field = fieldLikeKey(operation, references);
  if (field !== undefined) return `If the vendor takes it for one, add key:body:${field}.`;
  return 'Name the field or header with key:, or write "safe" if it only reads.';
}

function namesIn(operation: DocumentOperation, place: string): string[] {
  return operation.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
}
