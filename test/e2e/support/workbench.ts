/**
 * A real VS Code workbench: code-server's own server with a real extension host, in headless Chromium. Everything that
 * it writes is under one temporary folder, and the workspace is a copy.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { editorPaths } from '../../../scripts/setup-code-server.mjs';

export type EditorName = 'latest' | 'oldest';

export interface WorkbenchOptions {
  /** Copied; the copy is `workspace`. */
  folder: string;
  /** A `.code-workspace` file in the folder, opened in place of the folder itself. */
  workspaceFile?: string;
  editor?: EditorName;
  /** Packages that are installed before the start. */
  vsix?: string[];
  /** Extension folders that are loaded as they are. */
  development?: string[];
  /** A module with `run()`, loaded in the extension host. */
  suite?: string;
  /** Default true; false: a restricted window. */
  trusted?: boolean;
  settings?: Record<string, unknown>;
  /** Those of the machine that the extension runs on: what has the scope `machine` is read from there alone. */
  machine?: Record<string, unknown>;
  env?: Record<string, string>;
  /** Called with each line that the workbench logs. */
  onLog?(line: string): void;
  /** Called when a suite has ended. An extension host that died says 0 too. */
  onExit?(code: number): void;
}

/** No request leaves the machine, nothing opens by itself, nothing saves by itself. */
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'chat.disableAIFeatures': true,
  'chat.agentHost.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'npm.fetchOnlinePackageInfo': false,
  'json.schemaDownload.enable': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  'git.enabled': false,
  'files.autoSave': 'off',
  'window.confirmBeforeClose': 'never',
};

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const READY = /Extension host agent listening on (\d+)/;
const START_MS = 60_000;
const STOP_MS = 5_000;

export class Workbench {
  readonly page: Page;
  /** The copy that is open. */
  readonly workspace: string;
  /** Process id of the editor's server; its children are the extension host and what that starts. */
  readonly pid: number;
  readonly #browser: Browser;
  readonly #server: ChildProcess;
  readonly #home: string;

  private constructor(parts: {
    page: Page;
    workspace: string;
    browser: Browser;
    server: ChildProcess;
    home: string;
  }) {
    this.page = parts.page;
    this.workspace = parts.workspace;
    this.pid = parts.server.pid ?? 0;
    this.#browser = parts.browser;
    this.#server = parts.server;
    this.#home = parts.home;
  }

  /** Starts the editor and opens the folder. @throws Error with the server's last words */
  static async open(options: WorkbenchOptions): Promise<Workbench> {
    const home = mkdtempSync(join(tmpdir(), 'loadline-e2e-'));
    const workspace = prepareHome(home, options);
    const editor = editorPaths(options.editor ?? 'latest');
    const env = environment(home, options);
    const folders = ['--server-data-dir', home, '--user-data-dir', join(home, 'user')];
    const flags = [...folders, '--extensions-dir', join(home, 'ext'), '--accept-server-license-terms'];
    for (const vsix of options.vsix ?? []) install(editor, flags, env, vsix);
    const server = spawn(editor.node, [editor.main, ...flags, ...SERVER_FLAGS, ...trustFlags(options)], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own: the end of it ends extension hosts and language servers too.
      detached: true,
    });
    try {
      const port = await portOf(server, options.onLog);
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
      const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
      if (options.suite !== undefined) await exposeAutomation(page, options);
      await page.goto(address(port, workspace, options));
      return new Workbench({ page, workspace, browser, server, home });
    } catch (error) {
      await endGroup(server);
      rmSync(home, { recursive: true, force: true });
      throw error;
    }
  }

  /** The person's settings of this machine, as the editor has written them. */
  machineSettings(): Record<string, unknown> {
    return JSON.parse(readFileSync(join(this.#home, 'user/Machine/settings.json'), 'utf8'));
  }

  /** Ends browser, server and everything that they started; removes all that they wrote. */
  async close(): Promise<void> {
    await this.#browser.close().catch(() => undefined);
    await endGroup(this.#server);
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

const SERVER_FLAGS = [
  ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--telemetry-level', 'off'],
  ...['--disable-update-check', '--enable-smoke-test-driver'],
];

function trustFlags({ trusted = true }: WorkbenchOptions): string[] {
  return trusted ? ['--disable-workspace-trust'] : [];
}

/** Settings and a copy of the workspace; gives the copy's path. */
function prepareHome(home: string, { folder, settings = {}, machine }: WorkbenchOptions): string {
  mkdirSync(join(home, 'user/User'), { recursive: true });
  mkdirSync(join(home, 't'));
  mkdirSync(join(home, 'keys'), { mode: 0o700 });
  writeFileSync(join(home, 'user/User/settings.json'), JSON.stringify({ ...SETTINGS, ...settings }));
  if (machine !== undefined) {
    mkdirSync(join(home, 'user/Machine'), { recursive: true });
    writeFileSync(join(home, 'user/Machine/settings.json'), JSON.stringify(machine));
  }
  const workspace = join(home, 'ws', basename(folder));
  cpSync(folder, workspace, { recursive: true });
  return workspace;
}

function environment(home: string, options: WorkbenchOptions): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$|CODE_SERVER_|VITEST)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    // Sockets are left in the temporary folder of whoever starts it.
    TMPDIR: join(home, 't'),
    XDG_RUNTIME_DIR: join(home, 't'),
    XDG_CONFIG_HOME: join(home, 'config'),
    // A key of this run alone, whatever key the caller names.
    LOADLINE_SIGNING_KEY: join(home, 'keys', 'key.jwk'),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...options.env,
  };
}

function install(
  editor: { node: string; main: string },
  flags: string[],
  env: NodeJS.ProcessEnv,
  vsix: string,
): void {
  const { status, stdout, stderr } = spawnSync(
    editor.node,
    [editor.main, ...flags, '--install-extension', vsix, '--force'],
    { env, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${vsix} could not be installed: ${stdout}${stderr}`);
}

function portOf(server: ChildProcess, onLog: ((line: string) => void) | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`The editor's server did not start: ${said}`)), START_MS);
    const hear = (text: string) => {
      said = (said + text).slice(-4000);
      onLog?.(text);
      const port = READY.exec(said)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    server.stdout?.setEncoding('utf8').on('data', hear);
    server.stderr?.setEncoding('utf8').on('data', hear);
    server.once('exit', (code, signal) =>
      reject(new Error(`The editor's server ended (${code ?? signal}): ${said}`)),
    );
  });
}

/** The workbench tells of a suite through two functions of the page. */
async function exposeAutomation(page: Page, { onLog, onExit }: WorkbenchOptions): Promise<void> {
  await page.exposeFunction('codeAutomationLog', (kind: string, args: unknown[]) =>
    onLog?.(`${kind} ${args.join(' ')}`),
  );
  await page.exposeFunction('codeAutomationExit', (code: number) => onExit?.(code));
}

function address(
  port: number,
  workspace: string,
  { development = [], suite, workspaceFile }: WorkbenchOptions,
): string {
  const remote = (path: string) => `vscode-remote://127.0.0.1:${port}${encodeURI(path)}`;
  const payload = [
    ...development.map((path) => ['extensionDevelopmentPath', remote(path)]),
    ...(suite === undefined ? [] : [['extensionTestsPath', remote(suite)]]),
    ['skipWelcome', 'true'],
  ];
  const query = new URLSearchParams({ payload: JSON.stringify(payload) });
  if (workspaceFile === undefined) query.set('folder', workspace);
  else query.set('workspace', join(workspace, workspaceFile));
  return `http://127.0.0.1:${port}/?${query}`;
}

async function endGroup(server: ChildProcess): Promise<void> {
  const { pid } = server;
  if (pid === undefined) return;
  const gone =
    server.exitCode !== null || server.signalCode !== null
      ? Promise.resolve()
      : new Promise<void>((resolve) => server.once('exit', () => resolve()));
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
  signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
