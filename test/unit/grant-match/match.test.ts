import { describe, expect, test } from 'vitest';
import { fixedTarget, matchTarget, routesOf } from '../../../server/src/grant/match.ts';
import type { Operation } from '../../../shared/src/surface/surface.ts';
import { operation, parameter, surface } from './surfaces.ts';

function ask(operations: Operation[], request: string, schemas = {}) {
  const [method = '', target = ''] = request.split(' ');
  const match = matchTarget(routesOf(surface(operations, { schemas })), method, target);
  return match.kind === 'refused'
    ? { refused: match.reason, of: match.operation?.name ?? null }
    : { of: match.operation.name, path: match.path, query: match.query };
}

const certificates = [
  operation('GET /'),
  operation('GET /certificates'),
  operation('POST /certificates/{id}'),
  operation('POST /certificates/activate', { granted: false }),
  operation('POST /certificates/{id}:renew'),
  operation('POST /certificates/{id}:revoke', { granted: false }),
  operation('GET /files/{name}.json'),
  operation('GET /files/{name}', { granted: false }),
  operation('GET /pairs/{a}-{b}'),
  operation('GET /me/@self'),
  operation('GET /items/'),
];

describe('owner of a path', () => {
  test.each([
    ['GET /', { of: 'GET /', path: [], query: [] }],
    ['GET /certificates', { of: 'GET /certificates', path: [], query: [] }],
    ['POST /certificates/c-1', { of: 'POST /certificates/{id}', path: [['id', 'c-1']], query: [] }],
    ['POST /certificates/a%20b', { of: 'POST /certificates/{id}', path: [['id', 'a b']], query: [] }],
    ['POST /certificates/%C3%BC', { of: 'POST /certificates/{id}', path: [['id', 'ü']], query: [] }],
    ['POST /certificates/a,b%2Cc', { of: 'POST /certificates/{id}', path: [['id', 'a,b,c']], query: [] }],
    ['POST /certificates/c1:renew', { of: 'POST /certificates/{id}:renew', path: [['id', 'c1']], query: [] }],
    ['GET /files/a.b.json', { of: 'GET /files/{name}.json', path: [['name', 'a.b']], query: [] }],
    [
      'GET /pairs/x-y-z',
      {
        of: 'GET /pairs/{a}-{b}',
        path: [
          ['a', 'x'],
          ['b', 'y-z'],
        ],
        query: [],
      },
    ],
    ['GET /me/@self', { of: 'GET /me/@self', path: [], query: [] }],
    ['GET /items/', { of: 'GET /items/', path: [], query: [] }],
  ])('%s is let through', (request, expected) => {
    expect(ask(certificates, request)).toEqual(expected);
  });

  test.each([
    ['POST /certificates/activate', 'not-granted', 'POST /certificates/activate'],
    ['POST /certificates/ACTIVATE', 'not-granted', 'POST /certificates/activate'],
    ['POST /certificates/activat%65', 'not-granted', 'POST /certificates/activate'],
    ['POST /certificates/c1:revoke', 'not-granted', 'POST /certificates/{id}:revoke'],
    ['POST /certificates/c1%3Arevoke', 'not-granted', 'POST /certificates/{id}:revoke'],
    ['POST /certificates/c1:REVOKE', 'not-granted', 'POST /certificates/{id}:revoke'],
    ['POST /certificates/c1%3Arenew', 'spelling', 'POST /certificates/{id}:renew'],
    ['POST /certificates/c1:RENEW', 'spelling', 'POST /certificates/{id}:renew'],
    ['GET /CERTIFICATES', 'spelling', 'GET /certificates'],
    ['GET /certificate%73', 'spelling', 'GET /certificates'],
    ['GET /me/%40self', 'spelling', 'GET /me/@self'],
    ['GET /files/a.txt', 'not-granted', 'GET /files/{name}'],
    ['POST /certificates/%61', 'spelling', 'POST /certificates/{id}'],
    ['POST /certificates/a%21', 'spelling', 'POST /certificates/{id}'],
    ['POST /certificates/%c3%bc', 'spelling', 'POST /certificates/{id}'],
    ['POST /certificates/c1:other', 'unknown', null],
    ['POST /certificates/c1;v=1', 'unknown', null],
    ['POST /certificates/c1%3Bv', 'unknown', null],
    ['POST /certificates/:renew', 'unknown', null],
    ['GET /files/.json', 'not-granted', 'GET /files/{name}'],
    ['GET /pairs/-x', 'unknown', null],
    ['DELETE /certificates', 'unknown', null],
    ['get /certificates', 'unknown', null],
    ['GET /certificates/', 'unknown', null],
    ['GET /items', 'unknown', null],
    ['POST /certificates/', 'unknown', null],
  ])('%s is refused: %s', (request, reason, of) => {
    expect(ask(certificates, request)).toEqual({ refused: reason, of });
  });

  test('a literal further left decides before one further right', () => {
    const routes = [operation('GET /a/{x}'), operation('GET /{y}/b', { granted: false })];
    expect(ask(routes, 'GET /a/b')).toEqual({ of: 'GET /a/{x}', path: [['x', 'b']], query: [] });
  });

  test('of two partial segments the longer literal decides', () => {
    const routes = [operation('GET /{x}.gz'), operation('GET /{x}.tar.gz', { granted: false })];
    expect(ask(routes, 'GET /a.tar.gz')).toEqual({ refused: 'not-granted', of: 'GET /{x}.tar.gz' });
  });

  test('an exact literal beats one of another case', () => {
    const routes = [operation('GET /Ping', { granted: false }), operation('GET /ping')];
    expect(ask(routes, 'GET /ping')).toEqual({ of: 'GET /ping', path: [], query: [] });
  });

  test('of operations that nothing tells apart, the one that is not granted decides', () => {
    for (const order of [0, 1]) {
      const twins = [operation('GET /x/{a}'), operation('GET /x/{b}', { granted: false })];
      expect(ask(order === 0 ? twins : twins.reverse(), 'GET /x/1')).toEqual({
        refused: 'not-granted',
        of: 'GET /x/{b}',
      });
    }
  });

  test.each(['no-slash', '/a//b', '/a?b=1', '/a#b', '/a/{', '/a/{}', '/a/b}'])(
    'the template %s matches nothing',
    (path) => {
      expect(ask([operation('GET /x', { path })], `GET ${path}`)).toMatchObject({ of: null });
    },
  );

  test('a literal of the document that needs escapes is sent with them', () => {
    const routes = [operation('GET /x', { path: '/a b/ü' })];
    expect(ask(routes, 'GET /a%20b/%C3%BC')).toEqual({ of: 'GET /x', path: [], query: [] });
    expect(fixedTarget(operation('GET /x', { path: '/a b/ü' }))).toBe('/a%20b/%C3%BC');
    expect(fixedTarget(operation('GET /a/{b}'))).toBeNull();
    expect(fixedTarget(operation('GET /'))).toBe('/');
  });
});

describe('targets that are not canonical', () => {
  const routes = [
    operation('GET /a/{x}'),
    operation('GET /a/{x}/{y}'),
    operation('GET /{x}', { query: ['q'] }),
  ];
  test.each([
    'http://vendor/a/1',
    '//vendor/a',
    '*',
    '',
    'a/1',
    '/a//1',
    '/a/.',
    '/a/..',
    '/a/...',
    '/a/../b',
    '/a/%2e%2E',
    '/a/.%2e',
    '/a/x%2Fy',
    '/a/x%2fy',
    '/a/x%5Cy',
    '/a/x\\y',
    '/a/%2525',
    '/a/100%25',
    '/a/%252e%252e',
    '/a/%00',
    '/a/%0A',
    '/a/%7F',
    '/a/%C2%85',
    '/a/%E2%80%A8',
    '/a/%',
    '/a/%4',
    '/a/%zz',
    '/a/%C0%AF',
    '/a/%ED%A0%80',
    '/a/%FF',
    '/a/\u0000',
    '/a/ü',
    '/a/\ud800',
    '/a/1#f',
    '/a/1\t',
    '/a/1\r\nHost:x',
    '/x?',
    '/x?&q=1',
    '/x?q=1&',
    '/x?q',
    '/x?=1',
    '/x?q=a+b',
    '/x?q=a;b',
    '/x?q=%61',
    '/x?q=a=b',
    '/x?q=?',
    '/x?%71=1',
    '/x?q=%0A',
    '/x?q=%zz',
    `/a/${'x'.repeat(9000)}`,
  ])('%j', (target) => {
    expect(matchTarget(routesOf(surface(routes)), 'GET', target)).toMatchObject({
      kind: 'refused',
      reason: 'form',
    });
  });
});

describe('query keys', () => {
  const deep = parameter('filter', 'query', { style: 'deepObject' });
  const spread = parameter('page', 'query', { schema: { $ref: '#/schemas/Page' } });
  const routes = [
    operation('GET /robots', {
      query: ['status', 'a[b]', 'filter', 'page'],
      parameters: [deep, spread, parameter('limit', 'query')],
    }),
    operation('GET /other', { parameters: [parameter('status', 'query')] }),
  ];
  const schemas = { Page: { type: 'object', properties: { size: {}, limit: {} } } };
  test.each([
    ['/robots?status=idle', [['status', 'idle']]],
    [
      '/robots?status=a&status=b%2Fc',
      [
        ['status', 'a'],
        ['status', 'b/c'],
      ],
    ],
    ['/robots?status=', [['status', '']]],
    ['/robots?status=100%25,%2C', [['status', '100%,,']]],
    ['/robots?a%5Bb%5D=1', [['a[b]', '1']]],
    ['/robots?filter%5Bx%5D%5By%5D=1', [['filter[x][y]', '1']]],
    ['/robots?size=1', [['size', '1']]],
  ])('%s is let through', (target, query) => {
    expect(ask(routes, `GET ${target}`, schemas)).toEqual({ of: 'GET /robots', path: [], query });
  });

  test.each([
    ['/robots?limit=1', 'another parameter of the document, also where an object declares that name'],
    ['/robots?constructor=1', 'a name every object has'],
    ['/robots?status=a&admin=1', 'one of several'],
    ['/robots?Status=a', 'another case'],
    ['/robots?page%5Bx%5D=1', 'brackets on what is no deepObject'],
    ['/other?status=a', 'documented, not granted'],
  ])('%s is refused: %s', (target) => {
    expect(ask(routes, `GET ${target}`, schemas)).toMatchObject({ refused: 'query' });
  });
});
