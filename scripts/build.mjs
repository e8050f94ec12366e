// Bundles every process of Loadline into dist/: extension, language server, runner, CLI and guest.
import { cp, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist`;

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  // jsonc-parser's UMD main breaks when bundled; the ES module does not.
  mainFields: ['module', 'main'],
  // dockerode's ssh transport reaches for optional native parts.
  external: ['vscode', '*.node', 'cpu-features'],
  loader: { '.json': 'json' },
};

const host = { ...common, target: 'node20.19' };

export async function buildAll() {
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  await Promise.all([
    build({ ...host, entryPoints: { extension: 'client/src/extension.ts' }, outdir: dist }),
    build({
      ...host,
      entryPoints: { server: 'server/src/main.ts', runner: 'server/src/runner/main.ts' },
      outdir: dist,
    }),
    build({
      ...host,
      entryPoints: { cli: 'server/src/cli/main.ts' },
      outdir: dist,
      banner: { js: '#!/usr/bin/env node' },
    }),
    // The guest runs under the base image's Node 22. Names are kept: they show in an adapter's stack traces.
    build({
      ...common,
      target: 'node22',
      minify: false,
      entryPoints: { guest: 'sandbox-images/guest/main.ts' },
      outdir: dist,
    }),
  ]);
  await cp(`${root}sandbox-images`, `${dist}/sandbox-images`, {
    recursive: true,
    filter: (source) => !source.includes('/sandbox-images/guest'),
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
