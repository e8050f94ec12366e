/** Type-checks texts in memory, as the language service will: ES2023 library alone, strict. */
import ts from 'typescript';

/** The library is parsed once. */
const library = new Map<string, ts.SourceFile | undefined>();

/** Messages of all errors, each as `file:line message`. */
export function typeErrors(files: Record<string, string>): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: [],
    module: ts.ModuleKind.ESNext,
    skipDefaultLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const base = { read: host.getSourceFile.bind(host), exists: host.fileExists.bind(host) };
  host.getSourceFile = (name, languageVersion) => {
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    if (text !== undefined) return ts.createSourceFile(name, text, languageVersion, true);
    if (!library.has(name)) library.set(name, base.read(name, languageVersion));
    return library.get(name);
  };
  host.fileExists = (name) => Object.hasOwn(files, name) || base.exists(name);
  const program = ts.createProgram(Object.keys(files), options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const { file, start } = diagnostic;
    const line = file && start !== undefined ? ts.getLineAndCharacterOfPosition(file, start).line + 1 : 0;
    return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`;
  });
}
