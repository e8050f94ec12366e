import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGrant } from '../../../server/src/grant/parse.ts';

function parse(text: string) {
  const grant = parseGrant('a.grant', text);
  return {
    grant,
    short: grant.diagnostics.map(
      ({ severity, code, range }) =>
        `${severity} ${code} ${range.start.line + 1}:${range.start.character + 1}-${range.end.character + 1}`,
    ),
    messages: grant.diagnostics.map(({ message }) => message),
    routes: grant.routes.map(({ method, path }) => `${method} ${path}`),
  };
}

const range = (line: number, start: number, end: number) => ({
  file: 'a.grant',
  start: { line, character: start },
  end: { line, character: end },
});

describe('grants', () => {
  it('read every kind of line, with the place of each word', () => {
    const { grant, short } = parse(`# what adapter code may call
GET  /robots ?status ?limit   # two keys
POST /robots/*/missions key:body:/command_id max:40 header:X-Trace

POST /payments key:header:Idempotency-Key
PUT /things/* key:path:id
POST /search safe
\t@health GET /robots
@batch GET /robots for GET /robots/*
`);
    expect(short).toEqual([]);
    expect(grant.routes).toEqual([
      {
        method: 'GET',
        path: '/robots',
        range: range(1, 0, 12),
        query: [
          { text: 'status', range: range(1, 13, 20) },
          { text: 'limit', range: range(1, 21, 27) },
        ],
        headers: [],
        source: range(1, 0, 27),
      },
      {
        method: 'POST',
        path: '/robots/*/missions',
        range: range(2, 0, 23),
        query: [],
        headers: [{ text: 'X-Trace', range: range(2, 52, 66) }],
        key: { in: 'body', pointer: '/command_id', range: range(2, 24, 44) },
        max: { calls: 40, range: range(2, 45, 51) },
        source: range(2, 0, 66),
      },
      {
        method: 'POST',
        path: '/payments',
        range: range(4, 0, 14),
        query: [],
        headers: [],
        key: { in: 'header', name: 'Idempotency-Key', range: range(4, 15, 41) },
        source: range(4, 0, 41),
      },
      {
        method: 'PUT',
        path: '/things/*',
        range: range(5, 0, 13),
        query: [],
        headers: [],
        key: { in: 'path', name: 'id', range: range(5, 14, 25) },
        source: range(5, 0, 25),
      },
      {
        method: 'POST',
        path: '/search',
        range: range(6, 0, 12),
        query: [],
        headers: [],
        safe: range(6, 13, 17),
        source: range(6, 0, 17),
      },
    ]);
    expect(grant.health).toEqual({ method: 'GET', path: '/robots', range: range(7, 9, 20) });
    expect(grant.batches).toEqual([
      {
        by: { method: 'GET', path: '/robots', range: range(8, 7, 18) },
        served: { method: 'GET', path: '/robots/*', range: range(8, 23, 36) },
      },
    ]);
  });

  it('grant nothing when they are empty', () => {
    for (const text of ['', '\n\n', '# GET /robots', '   \t ']) {
      expect(parse(text).grant).toEqual({ file: 'a.grant', routes: [], batches: [], diagnostics: [] });
    }
  });

  it('take every line end and parts of segments', () => {
    expect(parse('GET /a\r\nGET /b\rGET /c\nPOST /m/*:cancel\nGET /m/*.json').routes).toEqual([
      'GET /a',
      'GET /b',
      'GET /c',
      'POST /m/*:cancel',
      'GET /m/*.json',
    ]);
    expect(parse('GET /a/\nGET /').routes).toEqual(['GET /a/', 'GET /']);
  });

  it('keep a "#" inside a word', () => {
    expect(parse('GET /a ?b #c').grant.routes[0]?.query).toHaveLength(1);
    expect(parse('GET /a#b').short).toEqual(['error grant-syntax 1:5-9']);
  });

  it.each([
    ['get /a', '1:1-4', 'A route starts with a method in capitals, and "get" is none. Did you mean "GET"?'],
    ['GRT /a', '1:1-4', 'A route starts with a method in capitals, and "GRT" is none. Did you mean "GET"?'],
    ['GET', '1:1-4', 'After GET comes a path, such as /robots/*.'],
    ['GET robots', '1:5-11', 'A path starts with "/", and "robots" does not.'],
    ['GET http://x/robots', '1:5-20', 'A path starts with "/", and "http://x/robots" does not.'],
    ['GET /robots/{id}', '1:5-17', 'Write "*" for a parameter, not its name in braces.'],
    ['GET /a?x=1', '1:5-11', 'A path has no "?", "#" or backslash; query keys stand behind it as ?name.'],
    ['GET /a/**', '1:5-10', 'One "*" stands for one segment, or a part of one; there is no "**".'],
    ['GET /a//b', '1:5-10', 'A path has no empty segments.'],
    ['GET /a/../b', '1:5-12', 'A path has no "." and ".." segments.'],
    ['GET /a\u202eb', '1:5-9', 'A path has no invisible characters.'],
    [
      'GET /a saef',
      '1:8-12',
      '"saef" is no option of a route: ?name, header:, key:, safe and max: are. Did you mean "safe"?',
    ],
    ['GET /a ?', '1:8-9', 'After "?" comes the name of a query key.'],
    ['GET /a ?b&c', '1:8-12', 'A query key stands alone: one "?name" for each, without values.'],
    ['GET /a header:', '1:8-15', 'Here the name of a header has to stand, such as header:Accept-Language.'],
    [
      'GET /a header:Authorization',
      '1:8-28',
      'The header "Authorization" is the broker\'s own; a grant cannot let it through.',
    ],
    [
      'GET /a header:cookie',
      '1:8-21',
      'The header "cookie" is the broker\'s own; a grant cannot let it through.',
    ],
    [
      'POST /a key:header:Host',
      '1:9-24',
      'The header "Host" is the broker\'s own; a grant cannot let it through.',
    ],
    [
      'POST /a key:body:id',
      '1:9-20',
      'After "key:body:" comes a JSON Pointer to the field of the body, such as key:body:/command_id.',
    ],
    [
      'POST /a key:body:/a~2',
      '1:9-22',
      'After "key:body:" comes a JSON Pointer to the field of the body, such as key:body:/command_id.',
    ],
    ['POST /a key:path:id', '1:9-20', 'After "key:path:" comes the name of a parameter of this path.'],
    [
      'POST /a key:boby:/id',
      '1:9-21',
      'A key is in the body, a header or the path: key:body:/pointer, key:header:Name, key:path:name. Did you mean "key:body:"?',
    ],
    ['POST /a key:body:/a key:body:/b', '1:21-32', 'A route has one key; remove this one or the other.'],
    ['GET /a max:0', '1:8-13', 'After "max:" comes how many calls a run may make, such as max:40.'],
    ['GET /a max:1.5', '1:8-15', 'After "max:" comes how many calls a run may make, such as max:40.'],
    ['GET /a max:1 max:2', '1:14-19', 'A route has one call budget; remove this one or the other.'],
    ['@helth GET /a', '1:1-7', '"@helth" is no directive. Did you mean "@health"?'],
    ['@health', '1:1-8', 'After @health comes a route, such as GET /health.'],
    ['@health GET /a/*', '1:9-17', 'The broker has no values for a "*": @health names a fixed path.'],
    ['@health GET /a safe', '1:16-20', 'Nothing more may follow here, and "safe" does.'],
    ['@batch', '1:1-7', 'A batch is written @batch GET /robots for GET /robots/*.'],
    ['@batch GET /a', '1:1-7', 'A batch is written @batch GET /robots for GET /robots/*.'],
    ['@batch GET /a from GET /a/*', '1:15-19', 'A batch is written @batch GET /robots for GET /robots/*.'],
    ['@batch GET /a for', '1:15-18', 'A batch is written @batch GET /robots for GET /robots/*.'],
    ['@batch GET /a for GET', '1:19-22', 'After GET comes a path, such as /robots/*.'],
  ])('%s: an error at %s', (text, place, message) => {
    const { grant, short, messages } = parse(text);
    expect(short).toEqual([`error grant-syntax ${place}`]);
    expect(messages).toEqual([message]);
    expect(grant).toMatchObject({ routes: [], batches: [] });
    expect(grant.health).toBeUndefined();
  });

  it('go on after a line with an error', () => {
    expect(parse('GET /a nonsense\nGET /b').routes).toEqual(['GET /b']);
  });

  it('warn of what stands twice', () => {
    expect(parse('GET /a\nGET /a ?b').short).toEqual(['warning duplicate-route 2:1-7']);
    expect(parse('GET /a ?b ?b header:X header:x').short).toEqual([
      'warning grant-syntax 1:11-13',
      'warning grant-syntax 1:23-31',
    ]);
    expect(parse('@health GET /a\n@health GET /b').short).toEqual(['warning duplicate-route 2:1-8']);
  });

  it('warn of "safe" where it says nothing', () => {
    const { grant, short } = parse('GET /a safe');
    expect(short).toEqual(['warning grant-syntax 1:8-12']);
    expect(grant.routes[0]?.safe).toBeUndefined();
  });

  it('never throw, and place everything inside the text', () => {
    const words = [
      'GET',
      'POST',
      '/a',
      '/a/*',
      '?q',
      'header:X',
      'key:body:/x',
      'max:3',
      'safe',
      '@health',
      '@batch',
      'for',
      '#',
      '\u0000',
    ];
    const line = fc
      .array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 8 })
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n', '\r'), (lines, end) => {
        const { grant } = parse(lines.join(end));
        const count = lines.join(end).split(/\r\n|\r|\n/).length;
        for (const { range: at } of [...grant.diagnostics, ...grant.routes]) {
          expect(at.end.line).toBeLessThan(count);
          expect(at.start.line).toBe(at.end.line);
          expect(at.end.character).toBeGreaterThan(at.start.character);
        }
        for (const { query, headers } of grant.routes) {
          expect(new Set(query.map(({ text }) => text)).size).toBe(query.length);
          expect(headers.some(({ text }) => /^authorization$/i.test(text))).toBe(false);
        }
      }),
    );
  });
});
