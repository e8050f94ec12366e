/** Whether two JSON values are the same, whatever the order of their keys; a key that holds `undefined` is none. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return holdsAll(a as Members, b as Members) && holdsAll(b as Members, a as Members, true);
}

type Members = Record<string, unknown>;

/** Whether `outer` has every member of `inner`, and unless `namesOnly` the same one. */
function holdsAll(inner: Members, outer: Members, namesOnly = false): boolean {
  return Object.keys(inner).every((name) => {
    const member = inner[name];
    if (member === undefined) return true;
    if (!Object.hasOwn(outer, name) || outer[name] === undefined) return false;
    return namesOnly || sameJson(member, outer[name]);
  });
}
