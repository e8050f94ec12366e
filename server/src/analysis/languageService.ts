/** One TypeScript language service per project, over virtual files alone: nothing is read but TypeScript's own libraries. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';

/**
 * What plain JavaScript draws no false alarms under: null checks are off, and nothing on disk is looked for. There is
 * no DOM in the sandbox.
 */
const OPTIONS: ts.CompilerOptions = {
  allowJs: true,
  checkJs: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  types: [],
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  // An adapter without exports would be a script whose names all others share.
  moduleDetection: ts.ModuleDetectionKind.Force,
  noResolve: true,
  strict: false,
  noImplicitAny: false,
  strictBindCallApply: true,
  strictFunctionTypes: true,
  skipLibCheck: true,
};

/** Libraries keep their place on disk; every other name is virtual. */
const LIBRARIES = dirname(ts.getDefaultLibFilePath(OPTIONS));

interface VirtualFile {
  version: number;
  text: string;
}

/** Parsed libraries are the same for every project of this process. */
const registry = ts.createDocumentRegistry();
const libraryTexts = new Map<string, string | undefined>();
let services = 0;

/** Files are named by a path without a leading `/`; scripts end with `.js`, declarations with `.d.ts`. */
export class LanguageService {
  /** Files by their path in the program. */
  readonly #files = new Map<string, VirtualFile>();
  /** The registry of documents knows files of all projects by path. */
  readonly #root: string;
  readonly #service: ts.LanguageService;
  #version = 0;

  constructor() {
    services += 1;
    this.#root = `/project-${services}/`;
    this.#service = ts.createLanguageService(this.#host(), registry);
  }

  /** Same text: nothing is parsed anew. */
  set(name: string, text: string): void {
    const path = this.#root + name;
    if (this.#files.get(path)?.text === text) return;
    this.#version += 1;
    this.#files.set(path, { version: this.#version, text });
  }

  remove(name: string): void {
    if (this.#files.delete(this.#root + name)) this.#version += 1;
  }

  /** Program of all files as they were set last; it is replaced as soon as one of them changes. */
  program(): ts.Program {
    const program = this.#service.getProgram();
    if (program === undefined) throw new Error('The language service is disposed.');
    return program;
  }

  /** Throws a RangeError for a file that was never set. */
  sourceFile(program: ts.Program, name: string): ts.SourceFile {
    const found = program.getSourceFile(this.#root + name);
    if (found === undefined) throw new RangeError(`No file "${name}" was set.`);
    return found;
  }

  completions(name: string, offset: number): ts.CompletionInfo | undefined {
    return this.#service.getCompletionsAtPosition(this.#root + name, offset, {
      includeCompletionsWithInsertText: true,
      includeCompletionsForModuleExports: false,
      includeSymbol: true,
    });
  }

  dispose(): void {
    this.#service.dispose();
  }

  #host(): ts.LanguageServiceHost {
    const text = (name: string): string | undefined => this.#files.get(name)?.text ?? libraryText(name);
    return {
      getCompilationSettings: () => OPTIONS,
      getScriptFileNames: () => [...this.#files.keys()],
      getScriptVersion: (name) => String(this.#files.get(name)?.version ?? 0),
      getProjectVersion: () => String(this.#version),
      getScriptSnapshot: (name) => {
        const found = text(name);
        return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
      },
      getScriptKind: (name) => (name.endsWith('.d.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS),
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
      fileExists: (name) => text(name) !== undefined,
      readFile: text,
      directoryExists: () => false,
      getDirectories: () => [],
    };
  }
}

function libraryText(name: string): string | undefined {
  if (dirname(name) !== LIBRARIES) return undefined;
  if (!libraryTexts.has(name)) libraryTexts.set(name, readLibrary(basename(name)));
  return libraryTexts.get(name);
}

function readLibrary(file: string): string | undefined {
  if (!/^lib\.[a-z0-9.]+\.d\.ts$/.test(file)) return undefined;
  try {
    return readFileSync(join(LIBRARIES, file), 'utf8');
  } catch {
    return undefined;
  }
}
