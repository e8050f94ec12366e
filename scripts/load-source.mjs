/** Loads a TypeScript module of this repository into a script that runs before the build. */
import { mkdir } from 'node:fs/promises';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const cacheFolder = path.join(repository, '.cache');

/** `file` is relative to the repository; packages stay external and are resolved from node_modules. */
export async function loadSource(file) {
  const { build } = await import('esbuild');
  const outfile = path.join(cacheFolder, 'scripts', `${file.replace(/\W+/g, '-')}.mjs`);
  await mkdir(path.dirname(outfile), { recursive: true });
  await build({
    entryPoints: [path.join(repository, file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}
