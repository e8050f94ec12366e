/** `loadline check`: every static diagnostic of adapters, grants, loadline.json and documents. No engine is needed. */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DiagnosticSeverity, type Diagnostic as LspDiagnostic } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Diagnostic, Severity } from '../../../shared/src/surface/surface.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { adapterSilences } from '../language/adapterDiagnostics.ts';
import { PROVIDERS } from '../language/diagnostics.ts';
import type { FileContext } from '../language/feature.ts';
import { loadDocument } from '../openapi/document.ts';
import { FileRefused } from '../openapi/files.ts';
import { rulesetDiagnostics } from '../ruleset/ruleset.ts';
import { Workspace } from '../session/workspace.ts';
import { buildSurface } from '../surface/build.ts';
import { ConfinedFiles, FILE_LIMITS } from '../workspace/files.ts';
import { findConfig } from '../workspace/project.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';

export interface CheckFlags {
  json: boolean;
}

/** 1-based, as compilers count. */
interface Told {
  code: string;
  severity: Severity;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  message: string;
}

interface Checked {
  file: string;
  diagnostics: Told[];
  /** Findings that a comment silenced. */
  silenced: number;
}

export async function checkCommand(files: string[], flags: CheckFlags): Promise<ExitCode> {
  const documents = new Map(files.map((file) => [uriOf(file), documentOf(file)]));
  const workspace = new Workspace({
    documents: () => [...documents.values()],
    document: (uri) => documents.get(uri),
    folders: () => [],
    configuration: async () => undefined,
    // Only what can be said without a run is said.
    results: () => ({ scenarios: () => [] }),
  });
  const checked: Checked[] = [];
  try {
    for (const file of files) checked.push(await check(workspace, file));
  } finally {
    await workspace.dispose();
  }
  print(checked, flags);
  const errors = checked.some(({ diagnostics }) => diagnostics.some(({ severity }) => severity === 'error'));
  return errors ? EXIT.broken : EXIT.ok;
}

async function check(workspace: Workspace, file: string): Promise<Checked> {
  const context = await workspace.context(uriOf(file));
  if (context === null) throw new CannotDo(`${file} cannot be checked.`);
  if (context.kind === 'other')
    return { file, diagnostics: (await documentAlone(file)).map(told), silenced: 0 };
  const said: LspDiagnostic[] = [];
  for (const { name, provide } of PROVIDERS) if (name !== 'run') said.push(...(await provide(context)));
  const rules = context.kind === 'document' ? await rulesOf(context) : [];
  const diagnostics = [...said.map(fromEditor), ...rules.map(told)].sort(
    (a, b) => a.line - b.line || a.column - b.column,
  );
  return { file, diagnostics, silenced: await adapterSilences(context) };
}

/** The specification's own rules over a project's document. */
async function rulesOf({ view, path }: FileContext): Promise<Diagnostic[]> {
  const [root, ...others] = view?.project.documentFiles ?? [];
  if (view === null || root === undefined) return [];
  const { folder, diagnostics } = view.project;
  const files = texts(folder, [root, ...others]);
  const found = await rulesetDiagnostics(rulesetScript(), { root, files }, diagnostics);
  return found.filter(({ range }) => range.file === path);
}

/** A file that no loadline.json names is taken for a vendor document. */
async function documentAlone(file: string): Promise<Diagnostic[]> {
  const path = resolve(file);
  if (!/\.(ya?ml|json)$/.test(path)) {
    const governed = findConfig(path) !== null;
    throw new CannotDo(
      governed
        ? `${file} is neither an adapter, a grant nor a document of its loadline.json; name it there.`
        : `no loadline.json governs ${file}; put one beside it (loadline init makes one).`,
    );
  }
  try {
    const folder = dirname(path);
    const { document, diagnostics } = loadDocument(new ConfinedFiles(folder), basename(path));
    if (document === null) return diagnostics;
    const built = buildSurface({ document, grant: 'all', client: 'vendor' });
    const sources = { root: document.file, files: texts(folder, built.files) };
    return [...built.diagnostics, ...(await rulesetDiagnostics(rulesetScript(), sources, built.diagnostics))];
  } catch (error) {
    if (error instanceof FileRefused) throw new CannotDo(error.message);
    throw error;
  }
}

function texts(folder: string, files: readonly string[]): Record<string, string> {
  const confined = new ConfinedFiles(folder);
  return Object.fromEntries(files.map((file) => [file, confined.read(file).text]));
}

function rulesetScript(): string {
  return join(__dirname, 'ruleset.js');
}

function documentOf(file: string): TextDocument {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new CannotDo(`${file} is no regular file.`);
    if (found.size > FILE_LIMITS.bytes)
      throw new CannotDo(`${file} is larger than ${FILE_LIMITS.bytes} bytes.`);
    return TextDocument.create(uriOf(file), languageOf(file), 0, readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof CannotDo) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotDo(code === 'ENOENT' ? `${file} does not exist.` : `${file} cannot be read (${code}).`);
  }
}

function languageOf(file: string): string {
  return file.endsWith('.grant') ? 'loadline-grant' : file.endsWith('.js') ? 'javascript' : 'plaintext';
}

function uriOf(file: string): string {
  return pathToFileURL(resolve(file)).href;
}

const SEVERITIES = new Map<number | undefined, Severity>([
  [DiagnosticSeverity.Error, 'error'],
  [DiagnosticSeverity.Warning, 'warning'],
  [DiagnosticSeverity.Information, 'information'],
  [DiagnosticSeverity.Hint, 'hint'],
]);

function fromEditor({ code, severity, message, range }: LspDiagnostic): Told {
  return placed(String(code), SEVERITIES.get(severity) ?? 'error', String(message), range);
}

function told({ code, severity, message, range }: Diagnostic): Told {
  return placed(code, severity, message, range);
}

function placed(
  code: string,
  severity: Severity,
  message: string,
  { start, end }: LspDiagnostic['range'],
): Told {
  return {
    code,
    severity,
    line: start.line + 1,
    column: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
    message,
  };
}

function print(checked: readonly Checked[], { json }: CheckFlags): void {
  if (json) {
    const files = checked.map(({ file, diagnostics }) => ({ file, diagnostics }));
    process.stdout.write(`${JSON.stringify({ files })}\n`);
    return;
  }
  for (const { file, diagnostics } of checked) {
    const name = relative(process.cwd(), resolve(file)) || file;
    for (const { line, column, severity, message, code } of diagnostics)
      process.stdout.write(
        `${terminalText(`${name}:${line}:${column}: ${severity}: ${message} (${code})`, 1000)}\n`,
      );
  }
  process.stderr.write(`${summary(checked)}\n`);
}

function summary(checked: readonly Checked[]): string {
  const all = checked.flatMap(({ diagnostics }) => diagnostics);
  const count = (severity: Severity) => all.filter((each) => each.severity === severity).length;
  const silenced = checked.reduce((sum, each) => sum + each.silenced, 0);
  const quiet = silenced === 0 ? '' : `, ${silenced} silenced by comments`;
  return `${checked.length} ${checked.length === 1 ? 'file' : 'files'} checked: ${count('error')} errors, ${count('warning')} warnings, ${count('information') + count('hint')} notes${quiet}.`;
}
