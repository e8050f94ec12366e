/**
 * The route gate: which operation of the document a request belongs to, and whether that operation's grant lets it
 * through. Pure; the target is judged as raw bytes (see `target.ts`), and what it approves is what is sent.
 *
 * A path belongs to its most specific operation of the same method: segment by segment from the left, a literal beats
 * a segment that is partly literal (the longer literal first), which beats a whole parameter. Only that operation's
 * grant counts, so a granted `/certificates/{id}` never reaches `/certificates/activate`. Literals are also compared
 * without regard to case, because many routers do: a path that differs from a literal of the document in case alone
 * belongs to that literal's operation and is refused.
 */
import type { Operation, OperationGrant, Schema, Surface } from '../../../shared/src/surface/surface.ts';
import { decodeOnce, isCanonical, type RawSegment, splitTarget } from './target.ts';

/** Routes compiled from a surface: by method and number of segments. */
export interface RouteTable {
  readonly byShape: ReadonlyMap<string, readonly Route[]>;
  readonly schemas: Surface['schemas'];
}

interface Route {
  operation: Operation;
  segments: Segment[];
}

/** A literal segment has one literal part, a parameter segment one parameter part, anything else is partial. */
type Segment = Part[];

type Part =
  | { kind: 'literal'; text: string; folded: string; raw: string }
  | { kind: 'parameter'; name: string };

export type RefusalReason = 'form' | 'unknown' | 'spelling' | 'not-granted' | 'query' | 'header';

export interface OperationMatch {
  kind: 'operation';
  operation: Operation;
  grant: OperationGrant;
  /** Decoded values by the names of the template. */
  path: [name: string, value: string][];
  query: [key: string, value: string][];
}

export interface TargetRefusal {
  kind: 'refused';
  reason: RefusalReason;
  /** One sentence for a person. */
  text: string;
  /** The operation the path belongs to, or null where the document has none. */
  operation: Operation | null;
}

const tables = new WeakMap<Surface, RouteTable>();

/** The route table of a surface, made once. */
export function routesOf(surface: Surface): RouteTable {
  const known = tables.get(surface);
  if (known) return known;
  const table = compileRoutes(surface);
  tables.set(surface, table);
  return table;
}

export function compileRoutes({ operations, schemas }: Pick<Surface, 'operations' | 'schemas'>): RouteTable {
  const byShape = new Map<string, Route[]>();
  for (const operation of operations) {
    const segments = compileTemplate(operation.path);
    // A template that cannot be read as a path matches nothing: its operation cannot be called.
    if (segments === null) continue;
    const shape = shapeOf(operation.method, segments.length);
    const routes = byShape.get(shape);
    if (routes) routes.push({ operation, segments });
    else byShape.set(shape, [{ operation, segments }]);
  }
  return { byShape, schemas };
}

/** Which operation a request is, and whether the grant lets it through. `target` is the raw path with its query. */
export function matchTarget(
  table: RouteTable,
  method: string,
  target: string,
): OperationMatch | TargetRefusal {
  const split = splitTarget(target);
  if (split.kind === 'refused') return { kind: 'refused', reason: 'form', text: split.text, operation: null };
  const candidates = table.byShape.get(shapeOf(method, split.segments.length)) ?? [];
  const owner = mostSpecific(candidates, split.segments);
  if (owner === null) {
    return {
      kind: 'refused',
      reason: 'unknown',
      text: 'The vendor document has no operation with this method and path.',
      operation: null,
    };
  }
  const { operation } = owner.route;
  const refuse = (reason: RefusalReason, text: string): TargetRefusal => ({
    kind: 'refused',
    reason,
    text,
    operation,
  });
  const label = `${operation.method} ${operation.path}`;
  const { grant } = operation;
  if (grant === null) return refuse('not-granted', `The grant does not allow ${label}.`);
  const path = bindPath(owner.route, split.segments);
  if (path === null) {
    return refuse(
      'spelling',
      `The path is not spelled as ${label} is: literals as the document writes them, values percent-encoded in their one accepted way.`,
    );
  }
  const stranger = split.query.find(([key]) => !letsQueryThrough(table, operation, grant, key));
  if (stranger)
    return refuse('query', `The grant of ${label} does not let a query key through that this call carries.`);
  return { kind: 'operation', operation, grant, path, query: split.query };
}

function shapeOf(method: string, segments: number): string {
  return `${method} ${segments}`;
}

function compileTemplate(template: string): Segment[] | null {
  if (!template.startsWith('/') || /[?#\\]/.test(template)) return null;
  const segments: Segment[] = [];
  const texts = template.slice(1).split('/');
  for (const [index, text] of texts.entries()) {
    if (text === '' && index < texts.length - 1) return null;
    const segment = compileSegment(text);
    if (segment === null) return null;
    segments.push(segment);
  }
  return segments;
}

function compileSegment(text: string): Segment | null {
  if (text === '') return [literal('')];
  const parts: Part[] = [];
  for (const piece of text.split(/(\{[^{}]+\})/)) {
    if (piece === '') continue;
    const name = /^\{([^{}]+)\}$/.exec(piece)?.[1];
    if (name !== undefined) parts.push({ kind: 'parameter', name });
    else if (/[{}]/.test(piece)) return null;
    else parts.push(literal(piece));
  }
  return parts;
}

function literal(written: string): Part {
  const text = decodeOnce(written) ?? written;
  // Escapes that the document wrote stay; what cannot stand in a path is escaped.
  const raw = written.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-_.!~*'()$&+,;=:@]+/g, (piece) =>
    /^%[0-9A-Fa-f]{2}$/.test(piece) ? piece : encodeLiteral(piece),
  );
  return { kind: 'literal', text, folded: fold(text), raw };
}

function encodeLiteral(piece: string): string {
  try {
    return encodeURIComponent(piece);
  } catch {
    return piece;
  }
}

function fold(text: string): string {
  return text.toLowerCase();
}

interface Candidate {
  route: Route;
  ranks: number[];
}

function mostSpecific(routes: readonly Route[], segments: readonly RawSegment[]): Candidate | null {
  let best: Candidate | null = null;
  for (const route of routes) {
    const ranks = rankRoute(route, segments);
    if (ranks === null) continue;
    const order = best === null ? 1 : compareRanks(ranks, best.ranks);
    // Two operations that nothing tells apart: the one that is not granted decides.
    if (order > 0 || (order === 0 && route.operation.grant === null)) best = { route, ranks };
  }
  return best;
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  for (const [index, rank] of left.entries()) {
    const difference = rank - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankRoute(route: Route, segments: readonly RawSegment[]): number[] | null {
  const ranks: number[] = [];
  for (const [index, segment] of route.segments.entries()) {
    const rank = rankSegment(segment, segments[index]?.text ?? '');
    if (rank === null) return null;
    ranks.push(rank);
  }
  return ranks;
}

const LITERAL = 1_000_000;
/** What a literal that fits in another case loses against one that fits exactly. */
const OTHER_CASE = 0.5;

/** Null: does not fit. Greater is more specific. */
function rankSegment(segment: Segment, text: string): number | null {
  const [first] = segment;
  if (segment.length === 1 && first?.kind === 'literal') {
    if (text === first.text) return LITERAL;
    return fold(text) === first.folded ? LITERAL - OTHER_CASE : null;
  }
  if (segment.length === 1) return isValue(text) ? 0 : null;
  const length = segment.reduce((sum, part) => sum + (part.kind === 'literal' ? part.text.length : 0), 0);
  if (bindSegment(segment, text, false) !== null) return length;
  return bindSegment(segment, text, true) !== null ? length - OTHER_CASE : null;
}

/** What one parameter may bind: not empty, nothing that some routers read as the end of an id. */
function isValue(text: string): boolean {
  return text !== '' && !/[:;]/.test(text);
}

/**
 * Values of a segment's parameters, or null. Taking each literal at its earliest place is enough: what may not stand
 * in a value has to be covered by a literal wherever the others lie.
 */
function bindSegment(segment: Segment, text: string, anyCase: boolean): string[] | null {
  const subject = anyCase ? fold(text) : text;
  const values: string[] = [];
  let position = 0;
  let open = 0;
  for (const [index, part] of segment.entries()) {
    if (part.kind === 'parameter') {
      open += 1;
      continue;
    }
    const wanted = anyCase ? part.folded : part.text;
    const last = index === segment.length - 1;
    const from = position + open;
    const found = placeOf(subject, wanted, from, open === 0, last);
    if (found < 0) return null;
    values.push(...spread(subject.slice(position, found), open));
    position = found + wanted.length;
    open = 0;
  }
  if (open === 0 && position !== subject.length) return null;
  if (subject.length - position < open) return null;
  values.push(...spread(subject.slice(position), open));
  return values.every(isValue) ? values : null;
}

function placeOf(subject: string, wanted: string, from: number, here: boolean, last: boolean): number {
  if (last && !here) {
    const place = subject.length - wanted.length;
    return place >= from && subject.endsWith(wanted) ? place : -1;
  }
  if (here) return subject.startsWith(wanted, from) ? from : -1;
  return subject.indexOf(wanted, from);
}

/** Neighbouring parameters share a text: one character each, the last takes the rest. */
function spread(text: string, parameters: number): string[] {
  const values: string[] = [];
  for (let index = 0; index < parameters; index += 1) {
    values.push(index === parameters - 1 ? text.slice(index) : text.charAt(index));
  }
  return values;
}

/** Values by name, or null where the raw path is not the one spelling of this route with these values. */
function bindPath(route: Route, segments: readonly RawSegment[]): [string, string][] | null {
  const bound: [string, string][] = [];
  for (const [index, segment] of route.segments.entries()) {
    const given = segments[index];
    const values = given === undefined ? null : bindSegment(segment, given.text, false);
    if (given === undefined || values === null || !isSpelled(segment, values, given.raw)) return null;
    const names = segment.flatMap((part) => (part.kind === 'parameter' ? [part.name] : []));
    for (const [at, name] of names.entries()) bound.push([name, values[at] ?? '']);
  }
  return bound;
}

/** Literals byte for byte as the document writes them, values in their one spelling. */
function isSpelled(segment: Segment, values: readonly string[], raw: string): boolean {
  let position = 0;
  let next = 0;
  for (const part of segment) {
    const end =
      part.kind === 'literal' ? position + part.raw.length : endOfValue(raw, position, values[next] ?? '');
    const piece = raw.slice(position, end);
    if (part.kind === 'literal' ? piece !== part.raw : !isCanonical(piece)) return false;
    if (part.kind === 'parameter') next += 1;
    position = end;
  }
  return position === raw.length;
}

/** Where the raw text of a value ends: its decoded text says how many bytes it has, an escape is one of them. */
function endOfValue(raw: string, start: number, value: string): number {
  let end = start;
  for (let bytes = Buffer.byteLength(value); bytes > 0; bytes -= 1) end += raw[end] === '%' ? 3 : 1;
  return end;
}

/**
 * A key that the grant names, or one that a parameter it names is spread over: `name[property]` in the style
 * deepObject, the declared properties of an exploded form object.
 */
function letsQueryThrough(
  table: RouteTable,
  operation: Operation,
  grant: OperationGrant,
  key: string,
): boolean {
  if (grant.query.includes(key)) return true;
  const queries = operation.parameters.filter((parameter) => parameter.in === 'query');
  if (queries.some((parameter) => parameter.name === key)) return false;
  return queries.some((parameter) => {
    if (!grant.query.includes(parameter.name)) return false;
    if (parameter.style === 'deepObject') return key.startsWith(`${parameter.name}[`);
    return parameter.style === 'form' && parameter.explode && declares(table, parameter.schema, key);
  });
}

function declares({ schemas }: RouteTable, schema: Schema, property: string): boolean {
  const named =
    typeof schema === 'object' && schema.$ref !== undefined
      ? /^#\/schemas\/(.+)$/s.exec(schema.$ref)?.[1]
      : undefined;
  const own = named === undefined ? schema : Object.hasOwn(schemas, named) ? schemas[named] : undefined;
  return typeof own === 'object' && own.properties !== undefined && Object.hasOwn(own.properties, property);
}

/** The path of an operation without parameters, as it is sent; null where it has some. */
export function fixedTarget(operation: Operation): string | null {
  const segments = compileTemplate(operation.path);
  if (segments === null) return null;
  const raws: string[] = [];
  for (const segment of segments) {
    const [part] = segment;
    if (segment.length !== 1 || part?.kind !== 'literal') return null;
    raws.push(part.raw);
  }
  return `/${raws.join('/')}`;
}
