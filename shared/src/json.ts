/** A JSON value as it travels between processes and stands in evidence. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object whose keys come from foreign text: always made with `Object.create(null)` or read through `Object.hasOwn`. */
export type JsonObject = { [key: string]: Json };
