/** Every change of one member of a JSON value, one at a time. */
import type { Json, JsonObject } from '../../shared/src/json.ts';

export interface Change {
  /** `predicate.evidence.trace[3].at`, with what was done to it. */
  what: string;
  /** The same with `[]` for every index: the field, wherever it stands. */
  field: string;
  apply(): Json;
}

/** Each leaf set to another value of its type and of another type, each key renamed, removed and joined by a new one. */
export function* changesOf(value: Json): Generator<Change> {
  yield* walk(value, '', '', (changed) => changed);
}

type Rebuild = (part: Json) => Json;

function* walk(value: Json, path: string, field: string, rebuild: Rebuild): Generator<Change> {
  const change = (what: string, part: Json): Change => ({
    what: `${path} ${what}`,
    field: `${field} ${what}`,
    apply: () => rebuild(part),
  });
  if (Array.isArray(value)) {
    yield change('longer', [...value, value[0] ?? 0]);
    if (value.length > 0) yield change('shorter', value.slice(1));
    for (const [index, item] of value.entries())
      yield* walk(item, `${path}[${index}]`, `${field}[]`, (part) => rebuild(value.with(index, part)));
  } else if (typeof value === 'object' && value !== null) {
    yield* ofObject(value, path, field, rebuild, change);
  } else {
    yield change('changed', other(value));
    yield change('of another type', typeof value === 'string' ? 7 : 'seven');
  }
}

function* ofObject(
  value: JsonObject,
  path: string,
  field: string,
  rebuild: Rebuild,
  change: (what: string, part: Json) => Change,
): Generator<Change> {
  yield change('joined', { ...value, further: 1 });
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _gone, ...rest } = value;
    yield change(`without ${name}`, rest);
    yield change(`with ${name} renamed`, { ...rest, [`${name}x`]: member });
    yield* walk(member, `${path}.${name}`, `${field}.${name}`, (part) => rebuild({ ...value, [name]: part }));
  }
}

function other(leaf: null | boolean | number | string): Json {
  if (leaf === null) return 0;
  if (typeof leaf === 'boolean') return !leaf;
  if (typeof leaf === 'number') return leaf + 1;
  // A digest or a time stays one: what is wrong is then only that it is another one.
  const last = leaf.at(-1);
  const next = last === '0' ? '1' : '0';
  return /[0-9a-f]$/.test(leaf) ? `${leaf.slice(0, -1)}${next}` : `${leaf}x`;
}
