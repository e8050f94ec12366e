/** The schemas of both report forms. Gives what is against the schema, one line each; nothing: it is valid. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';

const SCHEMAS = join(import.meta.dirname, '../../fixtures/schemas');

/** Well-formed and of the schema, by xmllint; it throws where there is none. */
export function junitProblems(text: string): string[] {
  const schema = join(SCHEMAS, 'jenkins-junit.xsd');
  const { status, stderr, error } = spawnSync('xmllint', ['--nonet', '--noout', '--schema', schema, '-'], {
    input: text,
    encoding: 'utf8',
  });
  if (error) throw new Error('xmllint cannot be run; install libxml2-utils.', { cause: error });
  return status === 0 ? [] : stderr.trim().split('\n');
}

/** What an XPath expression gives of a text. */
export function xpath(text: string, expression: string): string {
  const { status, stdout, stderr } = spawnSync('xmllint', ['--nonet', '--xpath', expression, '-'], {
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

// The schema names draft 4, of which it uses nothing that later drafts read otherwise but the name of `id`.
const { $schema, id, ...sarifSchema } = JSON.parse(
  readFileSync(join(SCHEMAS, 'sarif-2.1.0-rtm.5.json'), 'utf8'),
);
if (!$schema.includes('draft-04') || !id.includes('sarif-2.1.0'))
  throw new Error('another schema than expected');
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
ajv.addFormat('uri', (text: string) => /^[a-z][a-z0-9+.-]*:[!-~]+$/i.test(text) && URL.canParse(text));
ajv.addFormat('uri-reference', (text: string) => /^[!-~]*$/.test(text) && URL.canParse(text, 'file:///'));
ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
const validate = ajv.compile(sarifSchema);

export function sarifProblems(text: string): string[] {
  validate(JSON.parse(text));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
