/**
 * The part of the client script that is the same for every document: plain ES2023 text, run in the adapter's realm. It
 * takes what it needs from the realm's intrinsics before the adapter is loaded and calls no method by name afterwards,
 * so an adapter that changes a prototype changes no request. Foreign names are values here, never keys of objects that
 * have a prototype.
 *
 * `operations` is in scope, one array per operation:
 * `[name, reason]` for what cannot be called, else
 * `[name, method, pieces, arguments, required, body, options, pathValues]` with
 * - pieces: texts of the path (already encoded) and numbers of arguments
 * - arguments: names in order, path values first; required: how many must be given
 * - body: 0, `['none', mediaTypes, required]` (the client cannot write it) or `[kind, mediaType, encodings]`
 * - options: 0, or `[query, headers]`, where query and encodings are `[name, style, explode]` and headers lower-case names
 * - pathValues: how many of the arguments are values of the path
 */
export const CLIENT_RUNTIME = String.raw`
const apply = Reflect.apply;
const create = Object.create;
const freeze = Object.freeze;
const keysOf = Object.keys;
const define = Object.defineProperty;
const prototypeOf = Object.getPrototypeOf;
const isArray = Array.isArray;
const isFiniteNumber = Number.isFinite;
const encode = encodeURIComponent;
const text = String;
const PromiseOfRealm = Promise;
const rejectedWith = Promise.reject;
const lowerCase = String.prototype.toLowerCase;

return function client(invoke, fail) {
  function refuse(message) {
    throw fail(message);
  }

  // Exactly encodeURIComponent: the broker takes no other spelling.
  function encoded(value, what) {
    try {
      return encode(value);
    } catch {
      return refuse(what + ' is not well-formed text');
    }
  }

  function scalar(value, what) {
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean' || typeof value === 'bigint') return text(value);
    if (typeof value === 'number' && isFiniteNumber(value)) return text(value);
    return refuse(what + ' has to be text, a finite number or a boolean');
  }

  function plainObject(value, what) {
    if (typeof value === 'object' && value !== null && !isArray(value)) {
      const prototype = prototypeOf(value);
      if (prototype === null || prototypeOf(prototype) === null) return value;
    }
    return refuse(what + ' has to be a plain object');
  }

  // Style "simple": an array is written with commas.
  function segmentText(value, what) {
    if (!isArray(value)) return scalar(value, what);
    let result = '';
    for (let i = 0; i < value.length; i += 1) result += (i === 0 ? '' : ',') + scalar(value[i], what);
    return result;
  }

  function segment(value, what) {
    const plain = segmentText(value, what);
    if (plain === '') refuse(what + ' is empty');
    let dots = true;
    for (let i = 0; i < plain.length; i += 1) {
      const c = plain[i];
      if (c !== '.') dots = false;
      const control = c < ' ' || (c >= '\x7f' && c <= '\x9f') || c === '\u2028' || c === '\u2029';
      if (control) refuse(what + ' may not contain control characters');
      if (c === '%') refuse(what + ' may not contain "%": values are given as they are, not percent-encoded');
      if (c === '/' || c === '\\' || c === ':' || c === ';') {
        refuse(what + ' may not contain "' + c + '": it is one segment of the path');
      }
    }
    if (dots) refuse(what + ' may not be "' + plain + '"');
    return encoded(plain, what);
  }

  // Queries and forms are both pairs, joined with "&".
  function pair(list, name, value, what) {
    return list + (list === '' ? '' : '&') + encoded(name, what) + '=' + value;
  }

  function bracketed(list, name, value, what, depth) {
    if (depth > 16) refuse(what + ' is nested too deeply');
    if (isArray(value)) {
      let result = list;
      for (let i = 0; i < value.length; i += 1) {
        result = bracketed(result, name + '[' + i + ']', value[i], what, depth + 1);
      }
      return result;
    }
    if (typeof value !== 'object' || value === null) {
      return pair(list, name, encoded(scalar(value, what), what), what);
    }
    const names = keysOf(plainObject(value, what));
    let result = list;
    for (let i = 0; i < names.length; i += 1) {
      const member = value[names[i]];
      if (member === undefined) continue;
      result = bracketed(result, name + '[' + names[i] + ']', member, what, depth + 1);
    }
    return result;
  }

  function delimiter(style) {
    if (style === 'spaceDelimited') return '%20';
    if (style === 'pipeDelimited') return '%7C';
    return ',';
  }

  function arrayPairs(list, name, values, style, explode, what) {
    let result = list;
    let joined = '';
    for (let i = 0; i < values.length; i += 1) {
      const value = encoded(scalar(values[i], what), what);
      if (explode) result = pair(result, name, value, what);
      else joined += (i === 0 ? '' : delimiter(style)) + value;
    }
    return explode ? result : pair(result, name, joined, what);
  }

  function objectPairs(list, name, value, style, explode, what) {
    const names = keysOf(plainObject(value, what));
    let result = list;
    let joined = '';
    for (let i = 0; i < names.length; i += 1) {
      if (value[names[i]] === undefined) continue;
      const member = encoded(scalar(value[names[i]], what), what);
      if (explode) result = pair(result, names[i], member, what);
      else joined += (joined === '' ? '' : delimiter(style)) + encoded(names[i], what) + delimiter(style) + member;
    }
    return explode ? result : pair(result, name, joined, what);
  }

  function pairs(list, name, value, style, explode, what) {
    if (typeof value !== 'object' || value === null) {
      return pair(list, name, encoded(scalar(value, what), what), what);
    }
    if (style === 'deepObject') return bracketed(list, name, value, what, 0);
    if (isArray(value)) return arrayPairs(list, name, value, style, explode, what);
    return objectPairs(list, name, value, style, explode, what);
  }

  function found(entries, name) {
    for (let i = 0; i < entries.length; i += 1) if (entries[i][0] === name) return entries[i];
    return undefined;
  }

  function queryText(granted, value, operation) {
    const names = keysOf(plainObject(value, operation + ': query'));
    let list = '';
    for (let i = 0; i < names.length; i += 1) {
      const what = operation + ': query key "' + names[i] + '"';
      const entry = found(granted, names[i]);
      if (entry === undefined) refuse(what + ' is not granted');
      const member = value[names[i]];
      if (member !== undefined) list = pairs(list, entry[0], member, entry[1], entry[2], what);
    }
    return list;
  }

  function headerValue(value, what) {
    let result = '';
    const values = isArray(value) ? value : [value];
    for (let i = 0; i < values.length; i += 1) result += (i === 0 ? '' : ', ') + scalar(values[i], what);
    for (let i = 0; i < result.length; i += 1) {
      const c = result[i];
      if ((c < ' ' && c !== '\t') || c === '\x7f' || c > '\xff') {
        refuse(what + ' may contain neither line breaks nor characters beyond Latin-1');
      }
    }
    return result;
  }

  function headersOf(granted, value, operation) {
    const names = keysOf(plainObject(value, operation + ': headers'));
    const result = create(null);
    for (let i = 0; i < names.length; i += 1) {
      const what = operation + ': header "' + names[i] + '"';
      const name = apply(lowerCase, names[i], []);
      let known = false;
      for (let j = 0; j < granted.length; j += 1) if (granted[j] === name) known = true;
      if (!known) refuse(what + ' is not granted');
      if (result[name] !== undefined) refuse(what + ' is given twice');
      if (value[names[i]] !== undefined) result[name] = headerValue(value[names[i]], what);
    }
    return result;
  }

  function formText(encodings, value, operation) {
    const names = keysOf(plainObject(value, operation + ': the body'));
    let list = '';
    for (let i = 0; i < names.length; i += 1) {
      const member = value[names[i]];
      if (member === undefined) continue;
      const what = operation + ': body field "' + names[i] + '"';
      const entry = found(encodings, names[i]);
      if (entry !== undefined) list = pairs(list, names[i], member, entry[1], entry[2], what);
      else if (isFlatArray(member)) list = arrayPairs(list, names[i], member, 'form', true, what);
      else list = bracketed(list, names[i], member, what, 0);
    }
    return list;
  }

  function isFlatArray(value) {
    if (!isArray(value)) return false;
    for (let i = 0; i < value.length; i += 1) if (typeof value[i] === 'object' && value[i] !== null) return false;
    return true;
  }

  function usage(operation) {
    let list = '';
    for (let i = 0; i < operation[3].length; i += 1) {
      list += (i === 0 ? '' : ', ') + operation[3][i] + (i < operation[4] ? '' : '?');
    }
    return operation[0] + '(' + list + ')';
  }

  function targetOf(operation, values) {
    const pieces = operation[2];
    let target = '';
    for (let i = 0; i < pieces.length; i += 1) {
      if (typeof pieces[i] === 'string') target += pieces[i];
      else target += segment(values[pieces[i]], operation[0] + ': ' + operation[3][pieces[i]]);
    }
    return target;
  }

  function addBody(request, operation, value) {
    const body = operation[5];
    if (body[0] === 'none' && (value !== undefined || body[2])) {
      refuse(operation[0] + ': the client cannot send a body of ' + body[1] + ', only JSON and forms');
    }
    if (value === undefined) return;
    request.body = body[0] === 'form' ? formText(body[2], value, operation[0]) : value;
    request.contentType = body[1];
  }

  function addOptions(request, operation, value) {
    const name = operation[0];
    const names = keysOf(plainObject(value, name + ': options'));
    for (let i = 0; i < names.length; i += 1) {
      if (names[i] !== 'query' && names[i] !== 'headers' && names[i] !== 'signal') {
        refuse(name + ': there is no option "' + names[i] + '", only query, headers and signal');
      }
    }
    if (value.query !== undefined) {
      const list = queryText(operation[6][0], value.query, name);
      if (list !== '') request.target += '?' + list;
    }
    if (value.headers !== undefined) request.headers = headersOf(operation[6][1], value.headers, name);
    if (value.signal !== undefined) {
      if (typeof value.signal !== 'object' || value.signal === null) refuse(name + ': signal has to be an AbortSignal');
      request.signal = value.signal;
    }
  }

  function start(operation, values) {
    if (values.length > operation[3].length) refuse('Too many arguments: it is ' + usage(operation));
    for (let i = 0; i < operation[4]; i += 1) {
      if (i >= values.length || values[i] === undefined) {
        refuse('Argument ' + operation[3][i] + ' is missing: it is ' + usage(operation));
      }
    }
    const request = create(null);
    request.method = operation[1];
    request.target = targetOf(operation, values);
    request.headers = create(null);
    let next = operation[7];
    if (operation[5] !== 0) {
      addBody(request, operation, next < values.length ? values[next] : undefined);
      next += 1;
    }
    if (operation[6] !== 0 && next < values.length && values[next] !== undefined) {
      addOptions(request, operation, values[next]);
    }
    return invoke(request);
  }

  function methodOf(operation) {
    const method = (...values) => {
      try {
        if (operation.length === 2) refuse(operation[1]);
        return start(operation, values);
      } catch (error) {
        return apply(rejectedWith, PromiseOfRealm, [error]);
      }
    };
    define(method, 'name', { value: operation[0] });
    return freeze(method);
  }

  const result = create(null);
  for (let i = 0; i < operations.length; i += 1) result[operations[i][0]] = methodOf(operations[i]);
  return freeze(result);
};
`;
