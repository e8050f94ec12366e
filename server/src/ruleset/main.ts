/**
 * Entry of the ruleset process: the OpenAPI specification's own rules over a document, by a library that takes hundreds
 * of megabytes for a big one. It reads nothing but what it was sent.
 */
import {
  BaseResolver,
  createConfig,
  getLineColLocation,
  lintFromString,
  type NormalizedProblem,
  Source,
} from '@redocly/openapi-core';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { CHECK, type CheckAnswer, type CheckParams, type RuleProblem } from './messages.ts';

/** Files are known by names under a root that is nowhere. */
const ROOT = '/document/';

class GivenFiles extends BaseResolver {
  readonly #files: ReadonlyMap<string, string>;

  constructor(files: ReadonlyMap<string, string>) {
    super();
    this.#files = files;
  }

  override async loadExternalRef(address: string): Promise<Source> {
    const text = this.#files.get(address.startsWith(ROOT) ? address.slice(ROOT.length) : address);
    if (text === undefined) throw new Error(`${address} is not part of the document.`);
    return new Source(address, text);
  }
}

async function check(params: CheckParams): Promise<CheckAnswer> {
  try {
    return await checked(params);
  } catch (error) {
    // It throws where its parser takes less than ours does.
    if (error instanceof Error) return { problems: [], found: 0, refused: error.message };
    throw error;
  }
}

async function checked({ root, files, most }: CheckParams): Promise<CheckAnswer> {
  const given = new Map(Object.entries(files));
  const config = await createConfig({ extends: ['spec'] });
  const found = await lintFromString({
    source: given.get(root) ?? '',
    absoluteRef: `${ROOT}${root}`,
    config,
    externalRefResolver: new GivenFiles(given),
  });
  const told = found.filter(({ ignored }) => ignored !== true);
  return { problems: told.slice(0, most).flatMap(placed), found: told.length };
}

function placed(problem: NormalizedProblem): RuleProblem[] {
  const [location] = problem.location;
  if (location === undefined) return [];
  const { source, start, end } = getLineColLocation(location);
  const file = source.absoluteRef.slice(ROOT.length);
  const from = { line: start.line - 1, character: start.col - 1 };
  const to = end === undefined ? from : { line: end.line - 1, character: end.col - 1 };
  const { ruleId: rule, severity, message } = problem;
  return [{ rule, severity, message, range: { file, start: from, end: to } }];
}

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
connection.onRequest(CHECK, check);
connection.onClose(() => process.exit(0));
process.stdin.on('end', () => process.exit(0));
connection.listen();
