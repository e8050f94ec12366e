/** The specification's own rules over a document, in a process of their own that ends with the answer. */

import type { Diagnostic } from '../../../shared/src/surface/surface.ts';
import { oneLine } from '../../../shared/src/text.ts';
import { startChild } from '../runs/child.ts';
import { CHECK, type CheckAnswer, type CheckParams, type RuleProblem } from './messages.ts';

/** Shown of one document; the rest is counted. */
const MOST = 100;
const ENVIRONMENT = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'SystemRoot'];
/** A document of 13 MB takes 760. */
const HEAP_MB = 2048;

/**
 * @param known what is said of the document already: a line that has something is not spoken about twice
 * @throws Error with a sentence where the process ended first
 */
export async function rulesetDiagnostics(
  script: string,
  document: Pick<CheckParams, 'root' | 'files'>,
  known: readonly Diagnostic[],
): Promise<Diagnostic[]> {
  const { problems, found, refused } = await ask(script, { ...document, most: MOST });
  if (refused !== undefined) return [notChecked(document.root, refused)];
  const spoken = new Set(known.map(({ range }) => lineOf(range)));
  const said = problems.filter(({ range }) => !spoken.has(lineOf(range))).map(diagnosticOf);
  const rest = found - problems.length;
  const last = problems.at(-1);
  if (rest <= 0 || last === undefined) return said;
  const message = `${rest} more places break rules of the specification; the first ${MOST} are shown.`;
  return [...said, { code: 'document-rule', severity: 'information', message, range: last.range }];
}

async function ask(script: string, params: CheckParams): Promise<CheckAnswer> {
  const child = startChild({
    name: 'ruleset',
    script,
    nodeArguments: [`--max-old-space-size=${HEAP_MB}`],
    environment: ENVIRONMENT,
  });
  child.connection.listen();
  const died = child.died.then((why): never => {
    throw new Error(`The document could not be checked against the specification: ${why}`);
  });
  try {
    return await Promise.race([child.connection.sendRequest<CheckAnswer>(CHECK, params), died]);
  } catch (error) {
    // A connection that closes rejects with an error of its own; the exit tells more.
    if (child.process.exitCode === null && child.process.signalCode === null) throw error;
    return await died;
  } finally {
    died.catch(() => undefined);
    child.process.stdin?.end();
  }
}

function diagnosticOf({ rule, severity, message, range }: RuleProblem): Diagnostic {
  const said = oneLine(message);
  return {
    code: 'document-rule',
    severity: severity === 'error' ? 'warning' : 'information',
    message: `${said.endsWith('.') ? said : `${said}.`} (rule ${rule} of the OpenAPI specification)`,
    range,
  };
}

function notChecked(file: string, why: string): Diagnostic {
  const start = { line: 0, character: 0 };
  const message = `The rules of the OpenAPI specification could not be tried here: ${oneLine(why)}`;
  return { code: 'document-rule', severity: 'information', message, range: { file, start, end: start } };
}

function lineOf({ file, start }: Diagnostic['range']): string {
  return `${file}:${start.line}`;
}
