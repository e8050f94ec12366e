import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CORPUS, codeAndLine, describeCorpus, filesUnder, loadAll, unresolved } from './corpus.ts';

/** Of the real documents: how often each code is said, over-reach and style remarks included. */
const DOCUMENTS: Record<string, Record<string, number>> = {
  'adyen-checkout-v72.json': { 'document-nullable': 2 },
  'bear-robotics-cloud-v1.3.yaml': {},
  'digitalocean-bundled.yaml': {
    'document-over-reach': 9,
    'document-required': 2,
    'document-answer-media-type': 3,
  },
  'github-rest.json': {
    'document-over-reach': 33,
    'document-answer-media-type': 4,
    'document-body-media-type': 3,
    'document-same-path': 2,
    'document-required': 1,
  },
  'kubernetes-1.13-swagger2.json': {},
  'open-rmf-api-server.json': {},
  'openhue-bundled.yaml': { 'document-stream': 1 },
  'pfsense-rest-api-v1.yaml': { 'document-syntax': 7, 'document-required': 1 },
  'scalar-galaxy-3.1.yaml': {
    'document-callbacks': 1,
    'document-body-media-type': 5,
    'document-webhooks': 1,
    'document-schema-id': 1,
  },
  'shippo-public-api.yaml': { 'document-over-reach': 1, 'document-required': 2, 'document-webhooks': 1 },
  'stripe-openapi3.yaml': {
    'document-parameter-style': 101,
    'document-over-reach': 10,
    'document-body-media-type': 1,
    'document-answer-media-type': 1,
  },
};

/** Operations that no client can call, of all documents. */
const UNUSABLE: Record<string, string[]> = { 'stripe-openapi3.yaml': ['POST /v1/files'] };

/** What each planted fault gives, and nothing else: severity, code and line. */
const FAULTS: Record<string, string[]> = {
  'addprops.json': [],
  'bad-in.yaml': ['document-parameter-in 24'],
  'bad-regex.yaml': ['document-pattern 38'],
  'bad-type.yaml': ['document-type 42'],
  'base.yaml': [],
  'dangling-ref.yaml': ['document-dangling-ref 13'],
  'dash-param.json': [],
  'disc-cycle.json': [],
  'dup-operationId.yaml': ['document-duplicate-operation-id 22'],
  'dup-opid.json': ['document-duplicate-operation-id 1'],
  'dup-yaml-key.yaml': ['document-duplicate-key 43'],
  'empty-name.json': [],
  'enum-mixed.json': [],
  'enum-type-mismatch.yaml': ['document-enum 43'],
  'hdr-cookie-same.json': ['document-cookie-parameter 1'],
  'multipart.json': ['document-body-media-type 1'],
  'no-responses.yaml': ['document-no-answers 21'],
  'nullable-in-31.yaml': ['document-nullable 42'],
  'ok.yaml': [],
  'oneof-inline-disc.json': [],
  'openapi-32.yaml': [],
  'path-param-optional.yaml': ['document-optional-path-parameter 24'],
  'prop-ref.json': [],
  'recursive-anyof.json': [],
  'ref-nullable.json': ['document-nullable 1'],
  'required-unknown-prop.yaml': ['document-required 35'],
  'reserved.json': ['document-reserved-name 1', 'document-reserved-name 1'],
  'same-path-template.yaml': [
    'document-same-path 26',
    'document-undeclared-parameter 27',
    'document-unused-parameter 30',
  ],
  'self-ref.json': ['document-cyclic-ref 1'],
  'star-slash.json': [],
  'tab-indent.yaml': ['document-syntax 22'],
  'type-array.json': [],
  'undeclared-path-param.yaml': ['document-undeclared-parameter 21', 'document-unused-parameter 24'],
  'unknown-key.yaml': ['document-missing-operation-id 21', 'document-unknown-key 22'],
  'yaml-on-key.yaml': [],
};

function counted(codes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

function manifest(): Map<string, { version: string; operations: number }> {
  const [head = '', ...rows] = readFileSync(join(CORPUS, 'documents/manifest.tsv'), 'utf8')
    .trim()
    .split('\n');
  const columns = head.split('\t');
  const at = (row: string, column: string): string => row.split('\t')[columns.indexOf(column)] ?? '';
  return new Map(
    rows.map((row) => [
      at(row, 'name'),
      { version: at(row, 'openapi_version'), operations: Number(at(row, 'operations')) },
    ]),
  );
}

describe('the check for references that lead nowhere', () => {
  it('finds them in operations and schemas', () => {
    const answer = {
      status: '200',
      headers: [],
      contents: [{ mediaType: 'a', schema: { $ref: '#/schemas/A' } }],
    };
    const surface = {
      operations: [{ answers: [answer] }],
      schemas: { A: { items: { $ref: '#/schemas/"B"' } } },
    };
    expect(unresolved(surface)).toEqual(['"B"']);
  });
});

describeCorpus('real documents', () => {
  it('are all accounted for', () => {
    expect(filesUnder('documents').map((path) => basename(path))).toEqual(Object.keys(DOCUMENTS));
    expect([...manifest().keys()].sort()).toEqual(Object.keys(DOCUMENTS));
  });

  it.each(Object.keys(DOCUMENTS))('%s loads whole, every remark at a line', (name) => {
    const result = loadAll(join(CORPUS, 'documents', name));
    if (!result.loaded) throw new Error(`${name} did not load.`);
    const { surface, diagnostics } = result;
    const { version, operations } = manifest().get(name) ?? {};
    expect(surface.openapi).toBe(version);
    expect(surface.operations).toHaveLength(operations ?? -1);
    expect(counted(diagnostics.map(({ code }) => code))).toEqual(DOCUMENTS[name]);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const usable = surface.operations.filter(({ unusable }) => unusable === undefined);
    const unusable = surface.operations.filter((operation) => operation.unusable !== undefined);
    expect(unusable.map(({ method, path }) => `${method} ${path}`)).toEqual(UNUSABLE[name] ?? []);
    expect(new Set(usable.map((operation) => operation.name)).size).toBe(usable.length);
    expect(usable.every((operation) => /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(operation.name))).toBe(
      true,
    );
    expect(unresolved(surface)).toEqual([]);
  });

  it('says what is odd at its line', () => {
    const result = loadAll(join(CORPUS, 'documents/pfsense-rest-api-v1.yaml'));
    const lines = result.diagnostics.filter(({ code }) => code === 'document-syntax').map(codeAndLine);
    expect(lines).toEqual(
      [873, 1064, 2933, 4928, 4949, 5640, 11901].map((line) => `document-syntax ${line}`),
    );
  });

  it('keeps what follows pfSense’s odd texts', () => {
    const result = loadAll(join(CORPUS, 'documents/pfsense-rest-api-v1.yaml'));
    if (!result.loaded) throw new Error('It did not load.');
    const bodies = result.surface.operations.filter(({ body }) => body !== undefined);
    const written = readFileSync(join(CORPUS, 'documents/pfsense-rest-api-v1.yaml'), 'utf8').match(
      /^ {6}requestBody:/gm,
    );
    expect(bodies).toHaveLength(written?.length ?? 0);
  });
});

describeCorpus('a document in 213 files', () => {
  const main = join(CORPUS, 'multi-file/openhue/src/main.yaml');

  it('meets the limit of 200 files, and says so at the references beyond it', () => {
    const result = loadAll(main);
    if (!result.loaded) throw new Error('It did not load.');
    const limited = result.diagnostics.filter(({ code }) => code === 'document-limit');
    expect(limited.length).toBeGreaterThanOrEqual(13);
    for (const { message, severity } of limited) {
      expect(severity).toBe('error');
      expect(message).toMatch(/ is not read: at most 200 files of a project are\.$/);
    }
  });

  it('is read whole where the limit allows', () => {
    const result = loadAll(main, { bytes: 20_000_000, files: 213 });
    if (!result.loaded) throw new Error('It did not load.');
    const bundled = loadAll(join(CORPUS, 'documents/openhue-bundled.yaml'));
    if (!bundled.loaded) throw new Error('The bundled one did not load.');
    expect(result.diagnostics.map(({ code }) => code)).toEqual(['document-stream']);
    expect(result.surface.operations.map(({ name, method, path }) => `${name} ${method} ${path}`)).toEqual(
      bundled.surface.operations.map(({ name, method, path }) => `${name} ${method} ${path}`),
    );
    expect(Object.keys(result.surface.schemas)).toHaveLength(128);
    expect(unresolved(result.surface)).toEqual([]);
    const sources = new Set(result.surface.operations.map(({ source }) => source.file));
    expect(sources.has('room/room_{roomId}.yaml')).toBe(true);
  });
});

describeCorpus('planted faults', () => {
  it('are all accounted for', () => {
    expect(filesUnder('faults').map((path) => basename(path))).toEqual(Object.keys(FAULTS));
  });

  it.each(Object.entries(FAULTS))('%s: %j', (name, expected) => {
    const result = loadAll(join(CORPUS, 'faults', name));
    expect(result.loaded).toBe(true);
    expect(result.diagnostics.map(codeAndLine)).toEqual(expected);
    if (result.loaded) expect(unresolved(result.surface)).toEqual([]);
  });
});

describeCorpus('awkward documents', () => {
  it.each(filesUnderEdgeCases())('%s loads or says why not', (name) => {
    const result = loadAll(join(CORPUS, 'edge-cases', name));
    if (!result.loaded) {
      expect(result.diagnostics.map(({ code }) => code)).toEqual(['document-not-openapi']);
      return;
    }
    expect(unresolved(result.surface)).toEqual([]);
    expect(JSON.parse(JSON.stringify(result.surface))).toEqual(result.surface);
    const planted = name.includes('invalid/operationId-unique');
    expect(result.diagnostics.some(({ code }) => code === 'document-duplicate-operation-id')).toBe(planted);
  });
});

function filesUnderEdgeCases(): string[] {
  const root = join(CORPUS, 'edge-cases');
  return filesUnder('edge-cases').map((path) => path.slice(root.length + 1));
}
