// Bundles every process of Loadline into dist/: extension, language server, runner, signer, CLI and guest.
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist`;
/** What is built first; it takes the place of dist/ once all of it is there. */
const made = `${root}.cache/dist-${process.pid}`;

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

/** The semantic core is a bundle of its own, TypeScript in it, which is loaded when it is first asked for. */
const analysisApart = {
  name: 'analysis apart',
  setup(build) {
    build.onResolve({ filter: /\/createAnalysis\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './analysis/createAnalysis.js', external: true } : undefined,
    );
  },
};

const host = {
  ...common,
  target: 'node20.19',
  plugins: [analysisApart],
  // Node reads a CommonJS file that is imported twice, first for its exports: half a second for TypeScript.
  supported: { 'dynamic-import': false },
};

/** What the sandbox has of ECMAScript: TypeScript looks for its libraries beside itself. */
const LIBRARIES = /^lib\.(es5|es20(1[5-9]|2[0-3])(\.\w+)*|decorators(\.legacy)?)\.d\.ts$/;

async function copyLibraries(folder) {
  const from = `${root}node_modules/typescript/lib`;
  for (const name of await readdir(from))
    if (LIBRARIES.test(name)) await cp(`${from}/${name}`, `${folder}/${name}`);
}

export async function buildAll() {
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  await Promise.all([
    build({ ...host, entryPoints: { extension: 'client/src/extension.ts' }, outdir: made }),
    build({
      ...host,
      entryPoints: {
        server: 'server/src/main.ts',
        runner: 'server/src/runner/main.ts',
        signer: 'server/src/signer/main.ts',
        ruleset: 'server/src/ruleset/main.ts',
        projectWorker: 'server/src/workspace/projectWorker.ts',
      },
      outdir: made,
    }),
    build({
      ...host,
      entryPoints: { createAnalysis: 'server/src/analysis/createAnalysis.ts' },
      outdir: `${made}/analysis`,
    }),
    build({
      ...common,
      platform: 'browser',
      format: 'iife',
      target: 'chrome128',
      entryPoints: {
        replay: 'client/src/webview/replay.ts',
        matrix: 'client/src/webview/matrix.ts',
        verdicts: 'client/src/webview/verdicts.ts',
      },
      outdir: `${made}/webview`,
    }),
    build({
      ...host,
      entryPoints: { cli: 'server/src/cli/main.ts' },
      outdir: made,
      banner: { js: '#!/usr/bin/env node' },
    }),
    build({ ...host, entryPoints: { mcp: 'server/src/cli/mcp.ts' }, outdir: made }),
    // The guest runs under the base image's Node 22. Names are kept: they show in an adapter's stack traces.
    build({
      ...common,
      target: 'node22',
      minify: false,
      entryPoints: { guest: 'sandbox-images/guest/main.ts', probe: 'sandbox-images/probe/main.ts' },
      outdir: made,
    }),
  ]);
  // A link to it is the command.
  await chmod(`${made}/cli.js`, 0o755);
  await copyLibraries(`${made}/analysis`);
  await cp(`${root}sandbox-images`, `${made}/sandbox-images`, {
    recursive: true,
    // Scripts are bundled; what the images are made of stays.
    filter: (source) => !source.includes('/sandbox-images/guest') && !source.endsWith('.ts'),
  });
  await rm(dist, { recursive: true, force: true });
  await rename(made, dist);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
