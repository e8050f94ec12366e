import { describe, expect, it } from 'vitest';
import type { Parameter } from '../../../shared/src/surface/surface.ts';
import { api, load } from './helpers.ts';

const OK = 'responses: {200: {description: ok}}';

function read(parameters: string, path = '/a', version = '3.0.3') {
  const { surface, short, diagnostics } = load(
    api(`${path}: {get: {operationId: a, parameters: ${parameters}, ${OK}}}`, '', version),
  );
  const [operation] = surface.operations;
  return {
    operation,
    parameters: operation?.parameters ?? [],
    codes: short.map((line) => line.split(' ').slice(0, 2).join(' ')),
    short,
    diagnostics,
  };
}

function way({ name, in: place, style, explode, required }: Parameter): string {
  return `${place} ${name} ${style}${explode ? ' explode' : ''}${required ? ' required' : ''}`;
}

describe('parameters', () => {
  it('come path first, in the order of the template, then query and headers', () => {
    const { parameters, codes } = read(
      `[{name: q, in: query, schema: {type: string}}, {name: X-H, in: header, schema: {type: string}},
        {name: b, in: path, required: true, schema: {type: string}}, {name: a, in: path, required: true, schema: {type: string}}]`,
      '/x/{a}/{b}',
    );
    expect(codes).toEqual([]);
    expect(parameters.map(way)).toEqual([
      'path a simple required',
      'path b simple required',
      'query q form explode',
      'header X-H simple',
    ]);
  });

  it('of the operation replace those of its path', () => {
    const { surface, short } = load(
      api(`
/a:
  parameters: [{name: q, in: query, schema: {type: string}}, {name: r, in: query, schema: {type: string}}]
  get: {operationId: a, parameters: [{name: q, in: query, required: true, schema: {type: integer}}], ${OK}}
`),
    );
    expect(short).toEqual([]);
    expect(
      surface.operations[0]?.parameters.map(({ name, schema, required }) => [name, schema, required]),
    ).toEqual([
      ['q', { type: 'integer' }, true],
      ['r', { type: 'string' }, false],
    ]);
  });

  it('have style and explode filled in', () => {
    const { parameters, codes } = read(`[
      {name: a, in: query, schema: {type: array}},
      {name: b, in: query, style: form, explode: false, schema: {type: array}},
      {name: c, in: query, style: pipeDelimited, schema: {type: array}},
      {name: d, in: query, style: deepObject, schema: {type: object}},
      {name: e, in: header, explode: true, schema: {type: array}}]`);
    expect(codes).toEqual([]);
    expect(parameters.map(way)).toEqual([
      'query a form explode',
      'query b form',
      'query c pipeDelimited',
      'query d deepObject explode',
      'header e simple explode',
    ]);
  });

  it('with a style that does not fit get the usual one', () => {
    const { parameters, short } = read(`[{name: a, in: query, style: simple, schema: {}}]`);
    expect(parameters.map(way)).toEqual(['query a form explode']);
    expect(short).toEqual(['warning document-parameter-style api.yaml:4:71']);
  });

  it('as deepObject of no object, or not exploded, are pointed out', () => {
    expect(read(`[{name: a, in: query, style: deepObject, schema: {type: array}}]`).codes).toEqual([
      'information document-parameter-style',
    ]);
    expect(
      read(`[{name: a, in: query, style: deepObject, explode: false, schema: {type: object}}]`).codes,
    ).toEqual(['warning document-parameter-style']);
  });

  it.each([
    ['[{name: a, in: pth, schema: {}}]', 'error document-parameter-in'],
    ['[{name: a, schema: {}}]', 'error document-parameter-in'],
    ['[{in: query, schema: {}}]', 'warning document-parameter'],
    ['[1]', 'warning document-parameter'],
    ['{}', 'error document-parameter'],
    ["[{$ref: '#/components/parameters/No'}]", 'error document-dangling-ref'],
    ['[{name: a, in: path, required: true, schema: {}}]', 'warning document-unused-parameter'],
    ['[{name: a, in: cookie, schema: {}}]', 'warning document-cookie-parameter'],
    ['[{name: a, in: query, content: {application/json: {}}}]', 'warning document-parameter-content'],
  ])('%s: %s, left out', (text, code) => {
    const { parameters, codes } = read(text);
    expect(codes).toEqual([code]);
    expect(parameters).toEqual([]);
  });

  it('listed twice count once', () => {
    const { parameters, codes } = read(
      '[{name: a, in: query, schema: {type: string}}, {name: a, in: query, schema: {}}]',
    );
    expect(codes).toEqual(['warning document-parameter']);
    expect(parameters).toHaveLength(1);
  });

  it('of one name in query, header and cookie are different', () => {
    const { parameters } = read(
      '[{name: p, in: header, schema: {}}, {name: p, in: cookie, schema: {}}, {name: p, in: query, schema: {}}]',
    );
    expect(parameters.map(way)).toEqual(['query p form explode', 'header p simple']);
  });

  it('leave out the headers that are not the adapter’s', () => {
    const { parameters, codes } = read(
      '[{name: Authorization, in: header, schema: {}}, {name: content-type, in: header, schema: {}}, {name: Accept, in: header, schema: {}}]',
    );
    expect([parameters, codes]).toEqual([[], []]);
  });

  it.each([
    [
      '[{name: a, in: cookie, required: true, schema: {}}]',
      'The client sends no cookies, so "a" cannot be passed.',
    ],
    ["[{$ref: '#/x'}]", 'One of its parameters could not be read.'],
    [
      '[{name: a, in: query, required: true, content: {application/json: {}}}]',
      'The parameter "a" is written as a media type, which the client does not do; it is left out.',
    ],
  ])('%s makes the operation unusable', (text, reason) => {
    expect(read(text).operation).toMatchObject({ unusable: reason, grant: null });
  });

  it.each(['label', 'matrix'])('of the path in the style %s make the operation unusable', (style) => {
    const { codes, operation } = read(
      `[{name: a, in: path, required: true, style: ${style}, schema: {type: string}}]`,
      '/x/{a}',
    );
    expect(codes).toEqual(['warning document-parameter-style']);
    expect(operation).toMatchObject({
      grant: null,
      unusable: `The path parameter "a" has the style "${style}", which the client does not write.`,
    });
  });

  it('that are the whole query string (3.2) are left out', () => {
    const { codes, operation } = read(
      '[{name: a, in: querystring, required: true, content: {application/json: {}}}]',
      '/a',
      '3.2.0',
    );
    expect(codes).toEqual(['warning document-parameter-in']);
    expect(operation?.unusable).toContain('whole query string');
  });

  it('of the path are required texts where the document forgets to say so', () => {
    const { parameters, codes } = read('[{name: a, in: path, schema: {type: integer}}]', '/x/{a}/{b}');
    expect(codes).toEqual([
      'warning document-undeclared-parameter',
      'warning document-optional-path-parameter',
    ]);
    expect(parameters.map(({ name, required, schema }) => [name, required, schema])).toEqual([
      ['a', true, { type: 'integer' }],
      ['b', true, { type: 'string' }],
    ]);
  });

  it('in a place that does not exist count as the path’s where the path has the name', () => {
    const { parameters, diagnostics } = read('[{name: a, in: pth, required: true, schema: {}}]', '/x/{a}');
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'A parameter cannot be in "pth". It is one of path, query, header and cookie. Did you mean "path"?',
    ]);
    expect(parameters.map(way)).toEqual(['path a simple required']);
  });
});

describe('request bodies', () => {
  function body(text: string) {
    const { surface, short } = load(api(`/a: {post: {operationId: a, requestBody: ${text}, ${OK}}}`));
    return { operation: surface.operations[0], body: surface.operations[0]?.body, short };
  }

  it('keep what the document says', () => {
    const { body: read, short } = body(
      '{required: true, description: D, content: {application/json: {schema: {type: object}}, application/vnd.x+json: {}}}',
    );
    expect(short).toEqual([]);
    expect(read).toEqual({
      required: true,
      description: 'D',
      contents: [
        { mediaType: 'application/json', schema: { type: 'object' } },
        { mediaType: 'application/vnd.x+json', schema: true },
      ],
    });
  });

  it('as forms carry how their fields are written', () => {
    const { body: read } = body(
      `{content: {application/x-www-form-urlencoded: {schema: {type: object}, encoding: {expand: {style: deepObject, explode: true}, ids: {explode: false}}}}}`,
    );
    expect(read?.contents).toEqual([
      {
        mediaType: 'application/x-www-form-urlencoded',
        schema: { type: 'object' },
        encoding: { expand: { style: 'deepObject', explode: true }, ids: { style: 'form', explode: false } },
      },
    ]);
  });

  it('that cannot be sent are pointed out, and make the operation unusable where they are required', () => {
    const file = 'content: {multipart/form-data: {schema: {type: object}}}';
    expect(body(`{${file}}`)).toMatchObject({
      short: ['warning document-body-media-type api.yaml:4:55'],
      operation: { grant: { route: 'POST /a' } },
    });
    expect(body(`{required: true, ${file}}`).operation).toMatchObject({
      grant: null,
      unusable: 'Its request body is of no media type that the client can send.',
    });
    expect(body('{content: {application/xml: {}, application/json: {}}}').short).toEqual([
      'information document-body-media-type api.yaml:4:55',
    ]);
  });

  it('that cannot be read make the operation unusable', () => {
    expect(body("{$ref: '#/no'}")).toMatchObject({
      short: ['error document-dangling-ref api.yaml:4:51'],
      operation: { unusable: 'Its request body could not be read.' },
    });
    expect(body('5').short).toEqual(['error document-body api.yaml:4:44']);
  });
});
