/** The language server behind its connection: documents, projects, results, runs and diagnostics, put together. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CodeLensRefreshRequest,
  type Connection,
  type Location,
  type RenameFile,
  type TextDocuments,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
  type AdaptersAnswer,
  type EditorStateParams,
  type EvidenceAnswer,
  type EvidenceParams,
  type KeyOwner,
  MESSAGES,
  type RunParams,
  type StatusParams,
  TYPINGS_SCHEME,
} from '../../../shared/src/protocol.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import { terminalText } from '../../../shared/src/text.ts';
import type { FileContext } from '../language/feature.ts';
import { governProblem } from '../language/govern.ts';
import { ledgerText } from '../language/ledger.ts';
import { KEPT_FILE } from '../workspace/kept.ts';
import { adapterItem } from './adapterItem.ts';
import { DiagnosticsHub } from './diagnosticsHub.ts';
import { findProjects } from './findProjects.ts';
import { FolderWatch } from './folderWatch.ts';
import { ledgerOf } from './ledgerAddress.ts';
import { type Moved, moveResults, renamesAlong } from './moved.ts';
import { type OpenProject, pathOf } from './openProject.ts';
import { ProjectThread } from './projectThread.ts';
import { Results, verdictFileOf } from './results.ts';
import { type RunProgress, RunService, type Target } from './runService.ts';
import { TrustedKeys } from './trustedKeys.ts';
import { refreshTypings } from './typings.ts';
import { Wall } from './wall.ts';
import { Workspace } from './workspace.ts';

/** Lenses are asked for anew at most so often. */
const LENS_MS = 250;

export class Session {
  readonly wall: Wall;
  readonly workspace: Workspace;
  readonly diagnostics: DiagnosticsHub;
  readonly runs: RunService;
  readonly #connection: Connection;
  readonly #results = new Map<OpenProject, Results>();
  readonly #engines = new Map<string, string>();
  readonly #reader: ProjectThread;
  readonly #watch: FolderWatch;
  readonly #keys: TrustedKeys;
  /** Settings that an editor sent by itself. */
  #pushed: unknown;
  #lensTimer: NodeJS.Timeout | undefined;
  /** Paths of the workspace folders. */
  folders: string[] = [];
  abilities = {
    configuration: false,
    lensRefresh: false,
    progress: false,
    watching: false,
    settingsEvents: false,
    folderEvents: false,
    showDocument: false,
  };

  constructor(connection: Connection, documents: TextDocuments<TextDocument>, scripts: string) {
    this.#connection = connection;
    const log = (text: string) => connection.console.error(terminalText(text, 4000));
    this.wall = new Wall(log);
    this.#reader = new ProjectThread(join(scripts, 'projectWorker.js'), log);
    this.workspace = new Workspace({
      documents: () => documents.all(),
      document: (uri) => documents.get(uri),
      folders: () => this.folders,
      configuration: (uri) => this.#configuration(uri),
      results: (project) => this.resultsOf(project),
      reader: this.#reader,
    });
    this.diagnostics = new DiagnosticsHub({
      wall: this.wall,
      context: (uri) => this.workspace.context(uri),
      version: (uri) => documents.get(uri)?.version,
      uris: () => documents.keys(),
      pulls: () => this.workspace.editor.pullDiagnostics,
      refresh: () =>
        void this.wall.guard('diagnostic refresh', undefined, () =>
          connection.languages.diagnostics.refresh(),
        ),
      publish: (params) => void connection.sendDiagnostics(params),
    });
    this.runs = new RunService({
      scripts,
      trusted: () => this.workspace.trusted(),
      settings: (uri) => this.#settings(uri),
      notify: (params) => this.#notifyRun(params),
      progress: (title) => this.#progress(title),
      engine: (uri, text) => this.#engines.set(uri, text),
      log,
    });
    this.#keys = new TrustedKeys({
      own: () => this.runs.ownKeys(),
      setting: async () => (await this.#settings()).trustedKeys,
      log,
    });
    this.workspace.onProjectChange((project) => this.#noteProject(project));
    this.#watch = new FolderWatch(
      (path) => void this.wall.guard('file change', undefined, () => this.noteFile(pathToFileURL(path).href)),
    );
  }

  /** Folders came or went. */
  noteFolders(added: readonly string[], removed: readonly string[]): void {
    this.folders = [...this.folders.filter((folder) => !removed.includes(folder)), ...added];
    this.diagnostics.noteAll();
    void this.#connection.sendNotification(MESSAGES.adaptersChanged);
  }

  resultsOf(project: OpenProject): Results {
    const known = this.#results.get(project);
    if (known) return known;
    const made = new Results(project, {
      changed: (adapter) => this.#noteResults(project, adapter),
      trusted: (kids) => this.#keys.trusted(kids),
    });
    this.#results.set(project, made);
    return made;
  }

  context(uri: string): Promise<FileContext | null> {
    return this.workspace.context(uri);
  }

  /** Whose those of the key ids are that are trusted now. */
  keyOwners(kids: readonly string[]): Promise<ReadonlyMap<string, KeyOwner>> {
    return this.#keys.owners(kids);
  }

  setEditorState(params: EditorStateParams): void {
    if (!this.workspace.setEditorState(params)) return;
    this.#noteKeys();
    this.diagnostics.noteAll();
    this.#refreshLenses();
  }

  /** A file changed on disk, or was made, or is gone. */
  async noteFile(uri: string): Promise<void> {
    const path = pathOf(uri);
    if (path === null) return;
    await this.workspace.noteChange(uri);
    for (const [project, results] of this.#results)
      for (const adapter of project.adapters())
        if (verdictFileOf(join(project.folder, adapter)) === path) await results.refresh(adapter);
    if (path.endsWith('.js') || path.endsWith('loadline.json') || path.endsWith(KEPT_FILE))
      void this.#connection.sendNotification(MESSAGES.adaptersChanged);
  }

  /** @param pushed what an editor sends along that cannot be asked */
  noteSettings(pushed: unknown): void {
    this.#pushed = (pushed as { loadline?: unknown } | null)?.loadline;
    this.workspace.forgetSettings();
    this.#noteKeys();
    this.diagnostics.noteAll();
  }

  /** What has to be renamed along with these files, and is by the editor. */
  renamesAlong(files: readonly Moved[]): RenameFile[] {
    return this.workspace.trusted() ? renamesAlong(this.#results.keys(), files) : [];
  }

  async noteMoved(files: readonly Moved[]): Promise<void> {
    await moveResults(this.#results, files);
    void this.#connection.sendNotification(MESSAGES.adaptersChanged);
  }

  /** The adapter that a command names. @throws Error with a sentence */
  async target(uri: string): Promise<Target> {
    const path = pathOf(uri);
    const project = path === null ? null : await this.workspace.projectOf(path);
    const file = path === null ? null : (project?.fileOf(path) ?? null);
    if (project === null || file === null)
      throw new Error('No loadline.json governs this file; put one beside the adapter.');
    if (!project.isAdapter(file))
      throw new Error(`${file} is no adapter of its loadline.json: its "adapters" do not match the name.`);
    return { uri, project, file, results: this.resultsOf(project) };
  }

  async targets(): Promise<Target[]> {
    const projects = await this.#allProjects();
    return projects.flatMap((project) =>
      project
        .adapters()
        .map((file) => ({ uri: project.uriOf(file), project, file, results: this.resultsOf(project) })),
    );
  }

  async project(uri: string): Promise<OpenProject> {
    const path = pathOf(uri);
    const project = path === null ? null : await this.workspace.projectOf(path);
    if (project === null) throw new Error('No loadline.json governs this file.');
    return project;
  }

  /** @throws Error with the place, where the editor cannot be asked to show one */
  async show({ uri, range }: Location): Promise<void> {
    const { success } = this.abilities.showDocument
      ? await this.#connection.window.showDocument({ uri, selection: range, takeFocus: true })
      : { success: false };
    if (!success) throw new Error(`Open ${pathOf(uri) ?? uri} at line ${range.start.line + 1}.`);
  }

  async adapters(): Promise<AdaptersAnswer> {
    const targets = await this.targets();
    await Promise.all(targets.map(({ results, file }) => results.refresh(file)));
    return { adapters: targets.map(adapterItem) };
  }

  async evidence({ uri, scenario }: EvidenceParams): Promise<EvidenceAnswer> {
    const { results, file } = await this.target(uri);
    await results.refresh(file);
    const all = [...results.scenarios(file), ...results.found(file)];
    const known = all.find(({ id }) => id === scenario);
    const { result = null, judged, signed = false, stale = false } = known ?? {};
    return { result, sha256: judged?.sha256 ?? '', signed, stale };
  }

  /** Text of a document of one of our schemes. */
  async virtualText(uri: string): Promise<string> {
    if (!uri.startsWith(`${TYPINGS_SCHEME}:`)) return this.#ledger(uri);
    const projects = await this.workspace.projects();
    const found = projects.map((project) => project.typings()?.document);
    return (
      found.find((document) => document?.uri === uri)?.getText() ?? 'These typings are not known any more.'
    );
  }

  /** Text of a virtual ledger; it is made from the verdict file or the draft, so that a link outlives a restart. */
  async #ledger(uri: string): Promise<string> {
    const address = ledgerOf(uri);
    if (address === null) return 'This is no address of a ledger.';
    for (const { project, results, file } of await this.targets()) {
      if (verdictFileOf(join(project.folder, file)) !== address.verdictFile) continue;
      await results.refresh(file);
      const result = results.byAddress(address, file);
      if (result?.evidence) return ledgerText(result, result.evidence);
    }
    return 'This run is not known any more: its verdict was replaced. Open the ledger of the newest run.';
  }

  async stop(): Promise<void> {
    clearTimeout(this.#lensTimer);
    this.diagnostics.dispose();
    this.#watch.dispose();
    await this.runs.stop();
    await this.workspace.dispose();
    await this.#reader.dispose();
  }

  async #allProjects(): Promise<OpenProject[]> {
    for (const folder of findProjects(this.folders)) await this.workspace.projectOf(folder);
    return this.workspace.projects();
  }

  async #configuration(uri: string): Promise<unknown> {
    if (!this.abilities.configuration) return this.#pushed;
    return this.#connection.workspace.getConfiguration({ scopeUri: uri, section: 'loadline' });
  }

  #settings(uri?: string): Promise<Settings> {
    return this.workspace.settings(uri ?? pathToFileURL(this.folders[0] ?? process.cwd()).href);
  }

  /** The file that the settings name holds other keys. */
  noteKeysChanged(): void {
    this.#noteKeys();
    this.diagnostics.noteAll();
    this.#refreshLenses();
  }

  /** Other keys may count now. */
  #noteKeys(): void {
    this.#keys.forget();
    void this.wall.guard('verdict files', undefined, async () => {
      for (const results of this.#results.values()) await results.refreshAll();
    });
  }

  async #progress(title: string): Promise<RunProgress> {
    if (!this.abilities.progress)
      return { report: () => undefined, done: () => undefined, onCancel: () => undefined };
    const shown = await this.#connection.window.createWorkDoneProgress();
    shown.begin(title, 0, undefined, true);
    return {
      report: (text, percentage) => shown.report(Math.round(percentage), text),
      done: () => shown.done(),
      onCancel: (listener) => void shown.token.onCancellationRequested(listener),
    };
  }

  #notifyRun(params: RunParams): void {
    void this.#connection.sendNotification(MESSAGES.run, params);
    // A probe is about no adapter.
    if (params.kind !== 'probe' && (params.state === 'running' || params.state === 'ended'))
      void this.#tellStatus(params.adapter, params.state === 'running');
    if (params.state === 'ended') this.diagnostics.noteAll();
  }

  async #tellStatus(uri: string, busy: boolean, problem?: string): Promise<void> {
    await this.wall.guard('status', undefined, async () => {
      const { results, file } = await this.target(uri);
      const status: StatusParams = {
        uri,
        verdict: verdictOf(results.scenarios(file)),
        busy,
        engine: this.#engines.get(uri) ?? null,
        ...(problem === undefined ? {} : { problem }),
      };
      await this.#connection.sendNotification(MESSAGES.status, status);
    });
  }

  /** Tells the state of an adapter that was opened, or why none is known. */
  async tellOpened(uri: string): Promise<void> {
    await this.wall.guard('opening', undefined, async () => {
      const context = await this.context(uri);
      if (context === null) return;
      await this.#watchFolders();
      const problem = governProblem(context, await this.workspace.alsoNamedBy(uri)) ?? undefined;
      if (context.kind === 'adapter') return this.#tellStatus(uri, false, problem);
      if (problem === undefined) return;
      const status: StatusParams = { uri, verdict: 'none', busy: false, engine: null, problem };
      await this.#connection.sendNotification(MESSAGES.status, status);
    });
  }

  /** An editor that watches for us needs none of it. */
  async #watchFolders(): Promise<void> {
    if (this.abilities.watching) return;
    const projects = await this.workspace.projects();
    this.#watch.set(new Set(projects.flatMap((project) => project.foldersRead())));
  }

  #noteProject(project: OpenProject): void {
    this.diagnostics.noteAll();
    this.#refreshLenses();
    void this.#connection.sendNotification(MESSAGES.adaptersChanged);
    if (!this.workspace.trusted()) return;
    void this.wall.guard('typings', undefined, async () => {
      await project.refresh();
      refreshTypings(project);
    });
  }

  #noteResults(project: OpenProject, adapter: string): void {
    this.diagnostics.noteAll();
    this.#refreshLenses();
    void this.#connection.sendNotification(MESSAGES.adaptersChanged);
    void this.#tellStatus(
      project.uriOf(adapter),
      this.resultsOf(project)
        .scenarios(adapter)
        .some(({ state }) => state === 'running'),
    );
  }

  #refreshLenses(): void {
    if (!this.abilities.lensRefresh || this.#lensTimer !== undefined) return;
    this.#lensTimer = setTimeout(() => {
      this.#lensTimer = undefined;
      void this.wall.guard('lens refresh', undefined, () =>
        this.#connection.sendRequest(CodeLensRefreshRequest.type),
      );
    }, LENS_MS);
  }
}

function verdictOf(scenarios: ReturnType<Results['scenarios']>): StatusParams['verdict'] {
  const ran = scenarios.filter(({ state, result }) => result !== undefined && state !== 'not_run');
  if (ran.length === 0) return 'none';
  if (ran.some(({ stale }) => stale)) return 'stale';
  if (ran.some(({ state }) => state === 'failed')) return 'failed';
  return ran.length === scenarios.length && ran.every(({ state }) => state === 'qualified')
    ? 'qualified'
    : 'partial';
}
