/**
 * Makes sure that TypeScript 7 is there, whose language server is a program of its own that speaks LSP: tests ask it beside
 * ours. It comes from npm into a folder that git ignores, since it is large and none of it is shipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const VERSION = '7.0.2';
const folder = fileURLToPath(new URL(`../.cache/typescript-${VERSION}`, import.meta.url));

/** Path of the program; `--lsp --stdio` makes it the language server. */
export const typescript7 = `${folder}/node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib/tsc`;

/** Installs it where it is missing. Throws an Error whose message says what failed. */
export async function ensureTypeScript7({ log = () => {} } = {}) {
  if (existsSync(typescript7)) return;
  log(`npm install typescript@${VERSION} (the JavaScript service of newer editors, for tests)`);
  const made = `${folder}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  try {
    writeFileSync(`${made}/package.json`, '{"private":true}\n');
    const args = ['install', `typescript@${VERSION}`, '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status, error, stderr } = spawnSync('npm', args, { cwd: made, encoding: 'utf8' });
    if (status !== 0)
      throw new Error(`\`npm ${args.join(' ')}\` failed: ${error?.message ?? stderr.slice(-2000)}`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
