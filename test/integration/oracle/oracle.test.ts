/**
 * Our typings against openapi-typescript's, on every document of the corpus with every operation granted: parameters,
 * bodies and answers are the same types, both ways assignable, but for the places in exceptions.json.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import listed from './exceptions.json' with { type: 'json' };
import { CORPUS, type Comparison, compareWithOracle, wholeSurface, withSchemaOperations } from './oracle.ts';
import { REASONS, REFUSED } from './reasons.ts';

/** Document -> reason -> places. */
const EXCEPTIONS: Record<string, Record<string, string[]>> = listed;

const SMALL = ['edge-cases/2.0.x', 'edge-cases/3.0.x', 'edge-cases/3.1.x', 'faults'];
/** Parts of other documents, and what our reader refuses as a whole. */
const NO_DOCUMENTS = ['edge-cases/2.0.x/external-shared.json', 'edge-cases/3.1.x/external-shared.json'];
const TIMEOUT = 600_000;

/** Operations and compared types of each real document: nothing drops out unseen. */
const REAL: [document: string, operations: number, pairs: number][] = [
  ['documents/adyen-checkout-v72.json', 28, 238],
  ['documents/bear-robotics-cloud-v1.3.yaml', 23, 205],
  ['documents/digitalocean-bundled.yaml', 408, 3487],
  ['documents/github-rest.json', 1223, 8089],
  ['documents/kubernetes-1.13-swagger2.json', 1014, 6312],
  ['documents/open-rmf-api-server.json', 74, 312],
  ['documents/openhue-bundled.yaml', 133, 1761],
  ['documents/pfsense-rest-api-v1.yaml', 258, 1043],
  ['documents/scalar-galaxy-3.1.yaml', 10, 56],
  ['documents/shippo-public-api.yaml', 70, 375],
  ['documents/stripe-openapi3.yaml', 467, 2905],
  ['multi-file/openhue/src/main.yaml', 133, 1761],
];

function filesIn(folder: string): string[] {
  return readdirSync(join(CORPUS, folder))
    .filter((name) => /\.(json|yaml)$/.test(name))
    .map((name) => `${folder}/${name}`)
    .filter((document) => !NO_DOCUMENTS.includes(document))
    .sort();
}

/** Differences that nobody expects, and places that do not differ any more. */
function surprises(document: string, comparison: Comparison): unknown {
  const expected = new Set(Object.values(EXCEPTIONS[document] ?? {}).flat());
  const found = new Set(comparison.differences.map(({ id }) => id));
  return {
    ourErrors: comparison.ourErrors,
    unexpected: comparison.differences.filter(({ id }) => !expected.has(id)),
    settled: [...expected].filter((id) => !found.has(id)),
  };
}

const NONE = { ourErrors: [], unexpected: [], settled: [] };

test('every exception has a reason, every reason an exception', () => {
  const used = new Set(Object.values(EXCEPTIONS).flatMap((reasons) => Object.keys(reasons)));
  expect([...used].sort()).toEqual(Object.keys(REASONS).sort());
});

// Elsewhere than in CI the corpus may be absent, and then there is nothing to compare.
if (process.env.CI !== undefined) {
  test('the corpus is there', () => {
    expect(existsSync(CORPUS)).toBe(true);
  });
}

if (existsSync(CORPUS)) {
  describe('small documents, every named schema', () => {
    const documents = SMALL.flatMap(filesIn);
    const comparisons = new Map<string, Comparison>();
    let folder = '';

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'loadline-oracle-documents-'));
      const surfaces = new Map<string, Surface>();
      const read: string[] = [];
      for (const document of documents) {
        const path = copyOf(document);
        const surface = wholeSurface(path);
        if (surface === undefined) continue;
        surfaces.set(path, surface);
        read.push(document);
      }
      const answers = await compareWithOracle(surfaces);
      for (const [index, document] of read.entries()) {
        const answer = answers[index];
        if (answer !== undefined) comparisons.set(document, answer);
      }
    }, TIMEOUT);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** With an operation for every schema; a text that no parser takes stays what it is. */
    function copyOf(document: string): string {
      const original = join(CORPUS, document);
      if (document in REFUSED) return original;
      mkdirSync(join(folder, dirname(document)), { recursive: true });
      return withSchemaOperations(original, join(folder, dirname(document)));
    }

    test.each(documents)('%s', (document) => {
      const comparison = comparisons.get(document);
      if (comparison === undefined) throw new Error('Our reader takes no such document.');
      if (document in REFUSED) expect(comparison.refused).toContain(REFUSED[document]);
      else {
        expect(comparison.refused).toBe(undefined);
        expect(surprises(document, comparison)).toEqual(NONE);
      }
    });
  });

  describe('real documents', () => {
    test.each(REAL)(
      '%s',
      async (document, operations, pairs) => {
        const path = join(CORPUS, document);
        const surface = wholeSurface(path);
        if (surface === undefined) throw new Error('Our reader takes no such document.');
        const [comparison] = await compareWithOracle(new Map([[path, surface]]));
        expect(comparison?.refused).toBe(undefined);
        expect(comparison && surprises(document, comparison)).toEqual(NONE);
        expect([comparison?.operations, comparison?.pairs]).toEqual([operations, pairs]);
      },
      TIMEOUT,
    );
  });
}
