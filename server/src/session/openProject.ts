/** One folder with a loadline.json as the server holds it: the newest snapshot, its analysis, its adapters' facts. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { TYPINGS_SCHEME } from '../../../shared/src/protocol.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { Analysis } from '../analysis/analysis.ts';
import type { AdapterFacts } from '../analysis/facts.ts';
import { loadAnalysis } from '../analysis/loadAnalysis.ts';
import type { ProjectView, ResultsView } from '../language/feature.ts';
import { findAdapters } from '../workspace/adapters.ts';
import { ConfinedFiles } from '../workspace/files.ts';
import { matchesGlob } from '../workspace/glob.ts';
import { NoProject, type Project, type ProjectOptions, ProjectReader } from '../workspace/project.ts';
import { areTypingsCurrent, typingsFile, typingsText } from './typings.ts';

export interface ProjectHost {
  /** Open text of a path, or undefined. */
  openText(path: string): TextDocument | undefined;
  /** Paths of all open documents. */
  openPaths(): string[];
  trusted(): boolean;
  results(project: OpenProject): ResultsView;
  /** Reads the snapshots; absent: in this thread. */
  readonly reader?: ReadProject | undefined;
}

/** Snapshots of folders, each taken over as far as nothing changed since the last. */
export interface ReadProject {
  /** @throws NoProject, or an Error where it was broken off */
  read(folder: string, options: ProjectOptions): Promise<Project>;
  /** The folder is not asked for any more. */
  forget(folder: string): void;
}

export class OpenProject implements ProjectView {
  readonly #host: ProjectHost;
  readonly #folder: string;
  readonly #read: Read;
  #project: Project;
  #lastSurface: Surface | null;
  #stale = false;
  #loading: Promise<void> | null = null;
  #analysis: Promise<Analysis | null> | null = null;
  /** What the analysis was last configured with. */
  #configured: Project | null = null;
  #results: ResultsView | null = null;

  private constructor(host: ProjectHost, folder: string, read: Read, project: Project) {
    this.#host = host;
    this.#folder = folder;
    this.#read = read;
    this.#project = project;
    this.#lastSurface = project.surface;
  }

  /** @param folder of the loadline.json. @throws NoProject */
  static async open(host: ProjectHost, folder: string): Promise<OpenProject> {
    const read = readerOf(host, folder);
    return new OpenProject(host, folder, read, await read(optionsOf(host, folder)));
  }

  get project(): Project {
    return this.#project;
  }

  get lastSurface(): Surface | null {
    return this.#lastSurface;
  }

  get folder(): string {
    return this.#folder;
  }

  get contract(): Contract | null {
    const id = this.#project.config?.contract;
    return (id === undefined ? undefined : contractById(id)) ?? null;
  }

  get results(): ResultsView {
    this.#results ??= this.#host.results(this);
    return this.#results;
  }

  /** Whether a change of this path asks for a new snapshot. */
  reads(path: string): boolean {
    const file = this.fileOf(path);
    if (file === null) return false;
    const { config, fileDigests } = this.#project;
    return (
      file === 'loadline.json' || fileDigests.has(file) || file === config?.grant || file === config?.openapi
    );
  }

  /** A file of the project changed: the next question gets a new snapshot. */
  outdate(): void {
    this.#stale = true;
  }

  /** Brings the snapshot up to date; questions that come meanwhile wait for the same. */
  async refresh(): Promise<void> {
    while (this.#stale || this.#loading) {
      if (this.#loading === null) {
        this.#stale = false;
        this.#loading = this.#load().finally(() => {
          this.#loading = null;
        });
      }
      await this.#loading;
    }
  }

  /** A snapshot that could not be read is tried again by the next question. */
  async #load(): Promise<void> {
    try {
      this.#project = await this.#read(optionsOf(this.#host, this.#folder));
      this.#lastSurface = this.#project.surface ?? this.#lastSurface;
    } catch (error) {
      this.#stale = !(error instanceof NoProject);
      throw error;
    }
  }

  async analysis(): Promise<Analysis | null> {
    const { surface } = this.#project;
    const { contract } = this;
    if (surface === null || contract === null) return null;
    this.#analysis ??= loadAnalysis().then((create) => {
      this.#configured = this.#project;
      return create({ surface, contract });
    });
    const analysis = await this.#analysis.catch((error: unknown) => {
      this.#analysis = null;
      throw error;
    });
    if (analysis !== null && this.#configured !== this.#project) {
      this.#configured = this.#project;
      analysis.configure({ surface, contract });
    }
    return analysis;
  }

  async analysisOf(adapter: string, document?: TextDocument): Promise<Analysis | null> {
    const analysis = await this.analysis();
    const asked = document ?? this.textOf(adapter);
    if (analysis === null || asked === null) return null;
    analysis.setFile(adapter, asked.getText());
    return analysis;
  }

  async facts(adapter: string): Promise<AdapterFacts | null> {
    return (await this.analysisOf(adapter))?.facts(adapter) ?? null;
  }

  textOf(file: string): TextDocument | null {
    const path = join(this.#folder, file);
    const open = this.#host.openText(path);
    if (open !== undefined) return open;
    try {
      const { text } = new ConfinedFiles(this.#folder).read(file);
      return TextDocument.create(this.uriOf(file), languageOf(file), 0, text);
    } catch {
      return null;
    }
  }

  /** As the editor writes it where the file is open, since a folder may have two names. */
  uriOf(file: string): string {
    const path = join(this.#folder, file);
    return this.#host.openText(path)?.uri ?? pathToFileURL(path).href;
  }

  /** Path relative to the folder with `/`; null: outside of it. */
  fileOf(path: string): string | null {
    const inside = relative(this.#folder, path);
    if (inside === '' || inside.startsWith('..') || inside.startsWith(sep)) return null;
    return inside.split(sep).join('/');
  }

  typings(): { document: TextDocument; written: boolean } | null {
    const file = typingsFile(this);
    if (file === null || this.#project.surface === null) return null;
    const written = areTypingsCurrent(this);
    const { href, pathname } = pathToFileURL(file);
    const uri = written ? href : `${TYPINGS_SCHEME}:${pathname}`;
    return { document: TextDocument.create(uri, 'typescript', 0, typingsText(this)), written };
  }

  isAdapter(file: string): boolean {
    return this.#project.config?.adapters.some((pattern) => matchesGlob(pattern, file)) ?? false;
  }

  /** Folders that hold its files, by path. */
  foldersRead(): string[] {
    const files = [...this.#project.fileDigests.keys(), ...this.adapters()];
    return [this.#folder, ...new Set(files.map((file) => dirname(join(this.#folder, file))))];
  }

  /** Adapters on disk and those that are open and not saved yet. */
  adapters(): string[] {
    const open = this.#host.openPaths().flatMap((path) => {
      const file = this.fileOf(path);
      return file !== null && this.isAdapter(file) && existsSync(path) ? [file] : [];
    });
    const onDisk = findAdapters(this.#folder, this.#project.config?.adapters ?? []);
    return [...new Set([...onDisk, ...open])].sort();
  }

  async dispose(): Promise<void> {
    this.#host.reader?.forget(this.#folder);
    (await this.#analysis?.catch(() => null))?.dispose();
  }
}

type Read = (options: ProjectOptions) => Promise<Project>;

function readerOf({ reader }: ProjectHost, folder: string): Read {
  if (reader) return (options) => reader.read(folder, options);
  const own = new ProjectReader();
  return async (options) => own.read(folder, options);
}

function optionsOf(host: ProjectHost, folder: string): ProjectOptions {
  const overlay = new Map<string, string>();
  for (const path of host.openPaths()) {
    const inside = relative(folder, path);
    const document = host.openText(path);
    if (document && inside !== '' && !inside.startsWith('..'))
      overlay.set(inside.split(sep).join('/'), document.getText());
  }
  return { trusted: host.trusted(), overlay };
}

function languageOf(file: string): string {
  if (file.endsWith('.js')) return 'javascript';
  if (file.endsWith('.grant')) return 'loadline-grant';
  return file.endsWith('.json') ? 'json' : 'yaml';
}

/** Path of a `file:` URI, its folder by its real name; null of others. */
export function pathOf(uri: string): string | null {
  try {
    if (!uri.startsWith('file:')) return null;
    const path = fileURLToPath(uri);
    return join(realFolder(dirname(path)), basename(path));
  } catch {
    return null;
  }
}

export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
