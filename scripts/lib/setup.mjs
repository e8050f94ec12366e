// What `npm start`, `npm test` and `.ci/run` need before anything else: dependencies and a build. Plain Node, no dependency.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export function log(text) {
  process.stderr.write(`${text}\n`);
}

/** Runs a command in `cwd`, its output on stderr; ends this process with a clear sentence when it fails. */
export function run(command, args, cwd = root, env = {}) {
  const result = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    env: { ...process.env, ...env },
  });
  if (result.status === 0) return;
  const why = result.error ? result.error.message : `it ended with ${result.status ?? result.signal}`;
  log(`loadline: \`${command} ${args.join(' ')}\` failed: ${why}`);
  process.exit(2);
}

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  log(`loadline: Node ${process.versions.node} is too old; install Node 20.19 or newer.`);
  process.exit(2);
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Installs what package-lock.json names into `folder`, once for each content of that file. */
export function installDependencies(folder = root) {
  const lock = sha256(readFileSync(`${folder}/package-lock.json`));
  const stamp = `${folder}/node_modules/.loadline-lock`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  log(`Installing dependencies of ${folder === root ? 'Loadline' : folder.slice(root.length)} ...`);
  // No package's install script is needed: native parts of the ssh transport are optional.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  writeFileSync(stamp, lock);
}

const SOURCES = [
  'client/src',
  'server/src',
  'shared/src',
  'sandbox-images',
  'scripts/build.mjs',
  'package.json',
  'package-lock.json',
];

/** Digest of every file of these files and folders, by name and content. */
function digestOf(paths) {
  const hash = createHash('sha256');
  const filesOf = (path) =>
    statSync(path).isFile()
      ? [path]
      : readdirSync(path, { withFileTypes: true, recursive: true })
          .filter((entry) => entry.isFile())
          .map((entry) => `${entry.parentPath}/${entry.name}`)
          .sort();
  for (const path of paths.map((each) => `${root}${each}`).filter(existsSync))
    for (const file of filesOf(path))
      hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

/** Makes sure that an engine answers and has a base image; ends this process with a clear sentence where it cannot be. */
export async function ensureSandbox() {
  try {
    const { ensureEngine } = await import('../setup-engine.mjs');
    const { ensureBaseImage } = await import('../base-image.mjs');
    await ensureEngine({ log });
    await ensureBaseImage({ log });
  } catch (error) {
    log(`loadline: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(2);
  }
}

/**
 * What tests alone need: xmllint, strace, Podman, a JOSE implementation in Python, a browser, Neovim, TypeScript 7,
 * an editor's server in its newest and its oldest version. Ends this process where one cannot be had.
 */
export async function ensureTestTools() {
  try {
    const { ensureXmllint } = await import('../setup-xmllint.mjs');
    const { ensureStrace } = await import('../setup-strace.mjs');
    const { ensurePodman } = await import('../setup-podman.mjs');
    const { ensureJwcrypto } = await import('../setup-interop.mjs');
    const { ensureChromium } = await import('../setup-browser.mjs');
    const { ensureNeovim } = await import('../setup-neovim.mjs');
    const { ensureTypeScript7 } = await import('../setup-typescript7.mjs');
    const { EDITORS, ensureCodeServer } = await import('../setup-code-server.mjs');
    await ensureXmllint({ log });
    await ensurePodman({ log });
    await ensureStrace({ log });
    await ensureJwcrypto({ log });
    await ensureChromium({ log });
    await ensureNeovim({ log });
    await ensureTypeScript7({ log });
    for (const name of Object.keys(EDITORS)) await ensureCodeServer(name, { log });
  } catch (error) {
    log(`loadline: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(2);
  }
}

/** Digest of the sources that dist/ was built from; beside it, since all of dist/ is packaged. */
const BUILT = `${root}.cache/dist.sources`;

/** Builds dist/ when a source changed since the last build. */
export async function ensureBuild() {
  const digest = digestOf(SOURCES);
  if (existsSync(`${root}dist/cli.js`) && existsSync(BUILT) && readFileSync(BUILT, 'utf8') === digest) return;
  log('Building ...');
  const { buildAll } = await import('../build.mjs');
  await buildAll();
  mkdirSync(`${root}.cache`, { recursive: true });
  writeFileSync(BUILT, digest);
}

/** What the package holds beside dist/, and what says so. */
const PACKAGED = [
  '.cache/dist.sources',
  'docs/diagnostics',
  'media',
  'syntaxes',
  'package.json',
  'package.nls.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  '.vscodeignore',
];

/** Makes loadline-<version>.vsix from a fresh build when something in it changed since; gives its name. */
export async function ensurePackage() {
  await ensureBuild();
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const name = `loadline-${version}.vsix`;
  const digest = digestOf(PACKAGED);
  const stamp = `${root}.cache/vsix.sources`;
  if (existsSync(`${root}${name}`) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest)
    return name;
  log(`Packaging ${name} ...`);
  run('npx', ['vsce', 'package', ...PACKAGE_FLAGS, '--out', name]);
  mkdirSync(`${root}.cache`, { recursive: true });
  writeFileSync(stamp, digest);
  return name;
}

/** Everything is bundled, so dependencies stay out. */
const PACKAGE_FLAGS = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
