/** Everything that is open: documents, projects by folder, settings, trust. It knows no feature and no connection. */
import { basename, dirname, sep } from 'node:path';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { EditorStateParams } from '../../../shared/src/protocol.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings } from '../../../shared/src/settings.ts';
import type { EditorAbilities, FileContext, FileKind, ResultsView } from '../language/feature.ts';
import { findConfig } from '../workspace/project.ts';
import { isBound } from './bound.ts';
import { OpenProject, type ProjectHost, pathOf, type ReadProject, realFolder } from './openProject.ts';

export interface WorkspaceParts {
  /** All open documents. */
  documents(): TextDocument[];
  document(uri: string): TextDocument | undefined;
  /** Paths of the workspace folders. */
  folders(): readonly string[];
  /** The section `loadline` of the settings for a resource; undefined: the editor has none. */
  configuration(uri: string): Promise<unknown>;
  results(project: OpenProject): ResultsView;
  /** Reads projects; absent: each is read in this thread. */
  reader?: ReadProject;
}

export class Workspace implements ProjectHost {
  readonly #parts: WorkspaceParts;
  readonly #projects = new Map<string, Promise<OpenProject | null>>();
  readonly #settings = new Map<string, Promise<Settings>>();
  readonly #changed = new Set<(project: OpenProject) => void>();
  #trusted = true;
  #javascriptService = false;
  editor: EditorAbilities = {
    snippets: false,
    resolvesCompletions: false,
    completionDefaults: [],
    markdown: false,
    relatedInformation: false,
    codeDescription: false,
    textDocumentContent: false,
    pullDiagnostics: false,
  };

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  trusted(): boolean {
    return this.#trusted;
  }

  /** Gives whether anything is different now. */
  setEditorState({ trusted, javascriptService }: EditorStateParams): boolean {
    const before = `${this.#trusted} ${this.#javascriptService}`;
    const trustChanged = trusted !== undefined && trusted !== this.#trusted;
    this.#trusted = trusted ?? this.#trusted;
    this.#javascriptService = javascriptService ?? this.#javascriptService;
    if (trustChanged) void this.#each((project) => project.outdate());
    return before !== `${this.#trusted} ${this.#javascriptService}`;
  }

  /** Told when a project has a new snapshot to come, or is gone. */
  onProjectChange(listener: (project: OpenProject) => void): void {
    this.#changed.add(listener);
  }

  openText(path: string): TextDocument | undefined {
    return this.#parts.documents().find(({ uri }) => pathOf(uri) === path);
  }

  openPaths(): string[] {
    return this.#parts.documents().flatMap(({ uri }) => pathOf(uri) ?? []);
  }

  results(project: OpenProject): ResultsView {
    return this.#parts.results(project);
  }

  get reader(): ReadProject | undefined {
    return this.#parts.reader;
  }

  /** A text changed in the editor, or a file on disk; both may ask for new snapshots. */
  async noteChange(uri: string): Promise<void> {
    const path = pathOf(uri);
    if (path === null) return;
    if (basename(path) === 'loadline.json') this.#forgetMissing();
    await this.#each((project) => {
      if (!project.reads(path)) return;
      project.outdate();
      for (const listener of this.#changed) listener(project);
    });
  }

  /** Settings changed somewhere: they are asked for anew. */
  forgetSettings(): void {
    this.#settings.clear();
  }

  settings(uri: string): Promise<Settings> {
    const known = this.#settings.get(uri);
    if (known) return known;
    const asked = this.#parts.configuration(uri).then(
      (section) => (section === undefined ? DEFAULT_SETTINGS : readSettings(section)),
      () => DEFAULT_SETTINGS,
    );
    this.#settings.set(uri, asked);
    return asked;
  }

  /** The project that governs a path, up to date; null: none does. */
  async projectOf(path: string): Promise<OpenProject | null> {
    const config = findConfig(path);
    if (config === null || !this.#mayRead(config)) return null;
    const project = await this.#open(realFolder(dirname(config)));
    await project?.refresh();
    return project;
  }

  /** Paths of loadline.json files above the one that governs a file, that name it too. */
  async alsoNamedBy(uri: string): Promise<string[]> {
    const path = pathOf(uri);
    const own = path === null ? null : findConfig(path);
    if (path === null || own === null) return [];
    const above = findConfig(dirname(dirname(own)));
    if (above === null || above === own) return [];
    const project = await this.projectOf(dirname(above));
    const file = project?.fileOf(path) ?? null;
    return file !== null && project?.isAdapter(file) ? [above] : [];
  }

  /** Those that are open, up to date. */
  async projects(): Promise<OpenProject[]> {
    const open = (await Promise.all(this.#projects.values())).filter((project) => project !== null);
    await Promise.all(open.map((project) => project.refresh()));
    return open;
  }

  /** What a feature sees of a document; null: the document is not open, or of a scheme that is not ours. */
  async context(uri: string): Promise<FileContext | null> {
    const document = this.#parts.document(uri);
    const path = pathOf(uri);
    if (document === undefined || path === null) return null;
    const [view, settings] = await Promise.all([this.projectOf(path), this.settings(uri)]);
    const file = view?.fileOf(path) ?? basename(path);
    const kind = kindOf(file, document.languageId, view);
    return {
      uri,
      kind,
      document,
      path: file,
      view,
      settings,
      trusted: this.#trusted,
      editor: this.editor,
      bound:
        kind === 'adapter' &&
        isBound({
          text: document.getText(),
          view,
          path,
          javascriptService: this.#javascriptService && this.#trusted,
        }),
    };
  }

  async dispose(): Promise<void> {
    await this.#each((project) => project.dispose());
    this.#projects.clear();
  }

  /** Of an untrusted workspace nothing outside its folders is read. */
  #mayRead(path: string): boolean {
    if (this.#trusted) return true;
    return this.#parts.folders().some((folder) => isWithin(realFolder(folder), path));
  }

  #open(folder: string): Promise<OpenProject | null> {
    const known = this.#projects.get(folder);
    if (known) return known;
    const opening = OpenProject.open(this, folder).catch(() => {
      this.#projects.delete(folder);
      return null;
    });
    this.#projects.set(folder, opening);
    return opening;
  }

  /** A loadline.json that is gone governs nothing any more. */
  #forgetMissing(): void {
    for (const folder of this.#projects.keys()) {
      if (findConfig(folder) === null || realFolder(dirname(findConfig(folder) ?? '')) !== folder) {
        void this.#projects.get(folder)?.then((project) => project?.dispose());
        this.#projects.delete(folder);
      }
    }
  }

  async #each(work: (project: OpenProject) => unknown): Promise<void> {
    for (const opening of [...this.#projects.values()]) {
      const project = await opening;
      if (project) await work(project);
    }
  }
}

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function kindOf(file: string, language: string, view: OpenProject | null): FileKind {
  if (file.endsWith('.verdicts.jsonl')) return 'verdicts';
  if (view === null) return language === 'loadline-grant' ? 'grant' : 'other';
  if (file === 'loadline.json') return 'config';
  if (file === view.project.config?.grant || language === 'loadline-grant') return 'grant';
  if (view.isAdapter(file)) return 'adapter';
  const { config, documentFiles } = view.project;
  return file === config?.openapi || documentFiles.includes(file) ? 'document' : 'other';
}
