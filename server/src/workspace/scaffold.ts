/** A new adapter folder from a vendor document: what stands in its files. Nothing is written here. */
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { oneLine } from '../../../shared/src/text.ts';
import type { ApiDocument, DocumentOperation } from '../openapi/model.ts';
import { documentedKey, fieldLikeKey } from '../surface/keys.ts';
import { isTakenName } from './clientName.ts';
import { CONFIG_FILE } from './config.ts';

export interface ScaffoldInput {
  document: ApiDocument;
  contract: Contract;
  /** As loadline.json names it. */
  vendor: string;
  /** Names of the operations to grant; absent: those that only read. */
  granted?: ReadonlySet<string>;
}

export interface Scaffold {
  /** Name of the injected client. */
  client: string;
  /** Text of each new file by its name, the document apart. */
  files: ReadonlyMap<string, string>;
  /** Operations that the grant allows. */
  granted: number;
}

const READS = ['GET', 'HEAD'];
const HEALTH = /^\/(?:[\w-]+\/)*(?:health|healthz|healthcheck|ping|livez|readyz)$/i;
const SUMMARY = 90;

export function scaffold({ document, contract, vendor, granted }: ScaffoldInput): Scaffold {
  const client = clientNameOf(document.title);
  const usable = document.operations.filter(({ unusable, twin }) => unusable === undefined && twin !== true);
  const isGranted = (operation: DocumentOperation): boolean =>
    granted ? granted.has(operation.name) : READS.includes(operation.method);
  const grant = `${client}.grant`;
  const config = {
    contract: contract.id,
    client,
    openapi: document.file,
    grant,
    vendor,
    adapters: ['adapter*.js'],
  };
  return {
    client,
    files: new Map([
      [CONFIG_FILE, `${JSON.stringify(config, null, 2)}\n`],
      [grant, grantText(document, usable, isGranted)],
      ['adapter.js', skeleton(contract, client)],
      ['.gitattributes', '# Signatures are over bytes.\n*.verdicts.jsonl -text\n'],
    ]),
    granted: usable.filter(isGranted).length,
  };
}

/** `Fleet Vendor API` gives `fleetVendor`; a title of no letters, or a name that is taken, gives `vendor`. */
export function clientNameOf(title: string): string {
  const words =
    title
      .replace(/['’]s\b/g, '')
      .match(/[A-Za-z][A-Za-z0-9]*/g)
      ?.filter((word) => !/^(api|apis|rest|openapi)$/i.test(word)) ?? [];
  const name = words
    .slice(0, 3)
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`,
    )
    .join('')
    .slice(0, 40);
  return name === '' || isTakenName(name) ? 'vendor' : name;
}

function grantText(
  document: ApiDocument,
  operations: readonly DocumentOperation[],
  isGranted: (operation: DocumentOperation) => boolean,
): string {
  const width = Math.max(0, ...operations.filter(isGranted).map(({ method }) => method.length));
  const line = (operation: DocumentOperation): string => routeLine(document, operation, width);
  const denied = operations.filter((operation) => !isGranted(operation));
  const health = operations.find(({ method, path }) => method === 'GET' && HEALTH.test(path));
  return [
    `# What adapter code may call of ${oneLine(document.title, SUMMARY) || 'this API'}. Everything else is refused.`,
    ...operations.filter(isGranted).map(line),
    ...(health !== undefined && isGranted(health) ? ['', `@health GET ${health.shape}`] : []),
    ...(denied.length === 0
      ? []
      : [
          '',
          '# Not granted. Take the # away from what an adapter needs.',
          ...denied.map((each) => `# ${line(each)}`),
        ]),
    '',
  ].join('\n');
}

/** The route with its documented query keys, and what makes a repeat the same order. */
function routeLine(document: ApiDocument, operation: DocumentOperation, width: number): string {
  const { method, shape, parameters } = operation;
  const query = parameters.filter((each) => each.in === 'query' && /^[\w.[\]-]+$/.test(each.name));
  return [
    `${method.padEnd(width)} ${shape}`,
    ...query.map(({ name }) => `?${name}`),
    ...keyWord(document, operation),
  ].join(' ');
}

function keyWord(document: ApiDocument, operation: DocumentOperation): string[] {
  if (operation.method !== 'POST') return [];
  const header = documentedKey(operation);
  if (header !== undefined) return [`key:header:${header.name}`];
  const field = fieldLikeKey(operation, document.references);
  return field === undefined ? [] : [`key:body:${field}`];
}

function skeleton(contract: Contract, client: string): string {
  const { exports, statics } = contract;
  return [
    `// An adapter for the contract ${contract.id}. The vendor is called through the global \`${client}\`.`,
    '',
    '/** What is not written yet says so in the way that the contract allows. */',
    'function unwritten(name) {',
    `  return Object.assign(new Error(\`\${name} is not written yet\`), { code: '${statics.errorCodes.unresolved}' });`,
    '}',
    '',
    'module.exports = {',
    exports
      .map(({ name, signature, obligations }) =>
        [
          ...wrapped(obligations).map((text) => `  // ${text}`),
          `  async ${name}(${parameterNames(signature).join(', ')}) {`,
          `    throw unwritten('${name}');`,
          '  },',
        ].join('\n'),
      )
      .join('\n\n'),
    '};',
    '',
  ].join('\n');
}

function parameterNames(signature: string): string[] {
  const list = /^\(([^)]*)\)/.exec(signature)?.[1] ?? '';
  return list.split(',').flatMap((part) => /^\s*(\w+)/.exec(part)?.[1] ?? []);
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 100) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
