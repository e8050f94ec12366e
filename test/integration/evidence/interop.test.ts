/** Lines checked by what is not ours: a JOSE library in another language, and the in-toto Statement's own form. */
import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import type { SigningKey } from '../../../shared/src/evidence/jws.ts';
import { evidenceOf, newKey, sealed, statementOf, verdictLine } from '../../support/verdictFiles.ts';

/** The distribution's own interpreter, for which scripts/setup-interop.mjs installs jwcrypto. */
const PYTHON = '/usr/bin/python3';

/** Reads `{jwk, line}` objects, one a line. Its own serialiser stands in for RFC 8785: our texts and numbers need no more. */
const CHECK = `
import json, sys
from jwcrypto import jwk, jws
for text in sys.stdin.buffer:
    given = json.loads(text)
    line = json.loads(given["line"])
    key = jwk.JWK(**given["jwk"])
    payload = json.dumps(line["statement"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    token = jws.JWS()
    whole = {"protected": line["protected"], "signature": line["signature"], "payload": jws.base64url_encode(payload)}
    token.deserialize(json.dumps(whole))
    token.allowed_algs = ["EdDSA"]
    try:
        token.verify(key)
        good = True
    except jws.InvalidJWSSignature:
        good = False
    header = json.loads(jws.base64url_decode(line["protected"]))
    print(json.dumps({"good": good, "header": header, "thumbprint": key.thumbprint()}))
`;

let key: SigningKey;
let lines: string[];

beforeAll(async () => {
  key = await newKey();
  const statements = [];
  for (const scenario of ['nominal', 'lost_answer', 'refused_order'])
    statements.push(await statementOf(await evidenceOf(scenario), key));
  const verdicts = await Promise.all(statements.map((statement) => verdictLine(statement, key)));
  lines = [...verdicts, await sealed(verdicts, key)];
});

function checkedInPython(given: { line: string; jwk: object }[]): unknown[] {
  const input = given.map((each) => `${JSON.stringify(each)}\n`).join('');
  const output = execFileSync(PYTHON, ['-c', CHECK], { input, encoding: 'utf8' });
  return output
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
}

test("Python's jwcrypto finds every signature good, under the key id that the line names", () => {
  const results = checkedInPython(lines.map((line) => ({ line, jwk: key.publicKey })));
  const found = (kind: string) => ({
    good: true,
    header: { alg: 'EdDSA', kid: key.kid, typ: `loadline-${kind}+jws` },
    thumbprint: key.kid,
  });
  expect(results).toEqual([found('verdict'), found('verdict'), found('verdict'), found('checkpoint')]);
});

test('and finds none good under another key or over another statement', async () => {
  const { publicKey } = await newKey();
  const [line = ''] = lines;
  const changed = line.replace('"tier":"container"', '"tier":"kernel"');
  expect(changed).not.toBe(line);
  const results = checkedInPython([
    { line, jwk: publicKey },
    { line: changed, jwk: key.publicKey },
  ]);
  expect(results).toMatchObject([{ good: false }, { good: false }]);
});

test('every statement is an in-toto Statement v1', () => {
  for (const line of lines) {
    const { statement } = JSON.parse(line);
    expect(Object.keys(statement).sort()).toEqual(['_type', 'predicate', 'predicateType', 'subject']);
    // The fields of the Statement layer as its specification (v1) has them.
    expect(statement._type).toBe('https://in-toto.io/Statement/v1');
    expect(() => new URL(statement.predicateType)).not.toThrow();
    expect(statement.subject).toHaveLength(1);
    for (const { name, digest } of statement.subject) {
      expect(name).toBe('adapter.js');
      expect(Object.keys(digest)).toEqual(['sha256']);
      expect(digest.sha256).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(statement.predicate).toBeTypeOf('object');
  }
});
