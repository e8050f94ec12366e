/**
 * Compares types of ours with those that openapi-typescript makes of the same documents, both ways assignable.
 * `node compare.mjs <jobs.json>` prints one JSON list. A process of its own: it loads TypeScript 5 and big programs.
 *
 * Job: `{document, swagger, ours: {file: text}, pairs: [{id, ours, theirs}]}`; `ours` and `theirs` are type
 * expressions over our global declarations and over the oracle's `paths`.
 * Answer: `{refused}` when the oracle takes no such document, else
 * `{ourErrors, differences: [{id, kind, at, ours, theirs}]}` where kind is `wider` (ours takes more), `narrower`,
 * `other`, `no-ours` or `no-theirs` (the expression names nothing).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const require = createRequire(import.meta.url);

/** Members are optional where the schema does not require them, and an object without members is any object. */
const OPTIONS = { silent: true, defaultNonNullable: false, emptyObjectsUnknown: true };

async function oracleText(job) {
  const source = job.swagger ? await upgraded(job.document) : pathToFileURL(job.document);
  return astToString(await openapiTS(source, OPTIONS));
}

async function upgraded(document) {
  const swagger2openapi = require('swagger2openapi');
  const { openapi } = await swagger2openapi.convertFile(document, { patch: true, warnOnly: true });
  return JSON.parse(JSON.stringify(openapi));
}

/** The library is parsed once. */
const library = new Map();

function libraryFile(read, name, version) {
  if (!library.has(name)) library.set(name, read(name, version));
  return library.get(name);
}

function programOf(files) {
  const options = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const exists = host.fileExists.bind(host);
  const text = (name) => files.get(name.replace(/^.*\//, ''));
  host.getSourceFile = (name, version) =>
    text(name) === undefined
      ? libraryFile(read, name, version)
      : ts.createSourceFile(name, text(name), version, true);
  host.fileExists = (name) => text(name) !== undefined || exists(name);
  host.directoryExists = undefined;
  return ts.createProgram(
    [...files.keys()].map((name) => `/check/${name}`),
    options,
    host,
  );
}

function errorsIn(program, name) {
  const file = program.getSourceFile(`/check/${name}`);
  const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  return found.map((diagnostic) => {
    const line = ts.getLineAndCharacterOfPosition(file, diagnostic.start ?? 0).line + 1;
    return { line, text: `${line} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}` };
  });
}

function checkText(pairs) {
  const lines = ["import type { paths } from './oracle';"];
  for (const [index, { ours, theirs }] of pairs.entries()) {
    lines.push(`export type O${index} = ${ours};`, `export type T${index} = ${theirs};`);
  }
  return lines.join('\n');
}

function compare(program, pairs) {
  const checker = program.getTypeChecker();
  const wrongLines = new Set(errorsIn(program, 'check.ts').map((error) => error.line));
  const types = new Map();
  ts.forEachChild(program.getSourceFile('/check/check.ts'), (node) => {
    if (ts.isTypeAliasDeclaration(node)) types.set(node.name.text, checker.getTypeAtLocation(node.name));
  });
  const differences = [];
  for (const [index, { id }] of pairs.entries()) {
    const ours = types.get(`O${index}`);
    const theirs = types.get(`T${index}`);
    const kind = kindOf(checker, ours, theirs, wrongLines.has(2 + 2 * index), wrongLines.has(3 + 2 * index));
    if (kind === null) continue;
    const place = kind.startsWith('no-') ? { at: '', ours, theirs } : placeOf(checker, ours, theirs);
    differences.push({
      id,
      kind,
      at: place.at,
      ours: shown(checker, place.ours),
      theirs: shown(checker, place.theirs),
    });
  }
  return differences;
}

/** The innermost pair of types that differ, and the members that lead there: `.robot[].status`. */
function placeOf(checker, ours, theirs, at = '', depth = 0) {
  const here = { at, ours, theirs };
  if (depth > 12) return here;
  const [left, right] = withoutShared(checker, ours, theirs);
  if (left === undefined || right === undefined) return here;
  if (left !== ours || right !== theirs) return placeOf(checker, left, right, at, depth + 1);
  if (checker.isArrayType(left) && checker.isArrayType(right)) {
    const [item] = checker.getTypeArguments(left);
    const [other] = checker.getTypeArguments(right);
    return placeOf(checker, item, other, `${at}[]`, depth + 1);
  }
  if (left.isUnion() || right.isUnion()) return here;
  for (const property of checker.getPropertiesOfType(left)) {
    const twin = checker.getPropertyOfType(right, property.name);
    if (twin === undefined) continue;
    const a = checker.getTypeOfSymbol(property);
    const b = checker.getTypeOfSymbol(twin);
    if (!same(checker, a, b)) return placeOf(checker, a, b, `${at}.${property.name}`, depth + 1);
  }
  return here;
}

function same(checker, a, b) {
  return checker.isTypeAssignableTo(a, b) && checker.isTypeAssignableTo(b, a);
}

/** Both unions without the members that they have in common; one left on each side is a pair to go on with. */
function withoutShared(checker, ours, theirs) {
  if (!ours.isUnion() && !theirs.isUnion()) return [ours, theirs];
  const a = ours.isUnion() ? ours.types : [ours];
  const b = theirs.isUnion() ? theirs.types : [theirs];
  const left = a.filter((type) => !b.some((other) => same(checker, type, other)));
  const right = b.filter((type) => !a.some((other) => same(checker, type, other)));
  return left.length === 1 && right.length === 1 ? [left[0], right[0]] : [undefined, undefined];
}

/** `any` is assignable to everything: a type that could not be resolved must not pass for an agreement. */
function kindOf(checker, ours, theirs, oursWrong, theirsWrong) {
  if (oursWrong || (ours.flags & ts.TypeFlags.Any) !== 0) return 'no-ours';
  if (theirsWrong || (theirs.flags & ts.TypeFlags.Any) !== 0) return 'no-theirs';
  const fits = checker.isTypeAssignableTo(ours, theirs);
  const takes = checker.isTypeAssignableTo(theirs, ours);
  if (fits && takes) return null;
  if (takes) return 'wider';
  return fits ? 'narrower' : 'other';
}

function shown(checker, type) {
  return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation).slice(0, 600);
}

async function main(job) {
  let oracle;
  try {
    oracle = await oracleText(job);
  } catch (error) {
    return { refused: String(error?.message ?? error).slice(0, 300) };
  }
  const files = new Map([
    ...Object.entries(job.ours),
    ['oracle.d.ts', oracle],
    ['check.ts', checkText(job.pairs)],
  ]);
  const program = programOf(files);
  return {
    ourErrors: Object.keys(job.ours).flatMap((name) => errorsIn(program, name).map((error) => error.text)),
    differences: compare(program, job.pairs),
  };
}

const [jobsFile] = process.argv.slice(2);
// The oracle's validator writes to stdout where `silent` does not reach it.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const answers = [];
for (const job of JSON.parse(readFileSync(jobsFile, 'utf8'))) answers.push(await main(job));
write(JSON.stringify(answers));
