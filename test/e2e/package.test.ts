/** What is in the package: an exact list, and its size. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { version } from '../../package.json';
import { root } from '../support/loadline.ts';

const vsix = join(root, `loadline-${version}.vsix`);

/** ES5 to ES2023 with their parts, and decorators. */
const LIBRARIES = 69;
const LARGEST = 3 * 1024 * 1024;
const LIST = 'import json, sys, zipfile; print(json.dumps(zipfile.ZipFile(sys.argv[1]).namelist()))';

const packaged: string[] = JSON.parse(execFileSync('python3', ['-c', LIST, vsix], { encoding: 'utf8' }));

/** Files of a folder of the project, at any depth. */
function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `extension/${join(entry.parentPath, entry.name).slice(root.length)}`);
}

const libraries = (): string[] => packaged.filter((name) => name.startsWith('extension/dist/analysis/lib.'));

test('holds what is named here and nothing else', () => {
  const made = packaged.filter(
    (name) => !libraries().includes(name) && !/\/(docs|media|syntaxes)\//.test(name),
  );
  expect(made.sort()).toEqual(
    [
      '[Content_Types].xml',
      'extension.vsixmanifest',
      'extension/LICENSE.txt',
      'extension/changelog.md',
      'extension/dist/analysis/createAnalysis.js',
      'extension/dist/cli.js',
      'extension/dist/extension.js',
      'extension/dist/guest.js',
      'extension/dist/probe.js',
      'extension/dist/mcp.js',
      'extension/dist/projectWorker.js',
      'extension/dist/ruleset.js',
      'extension/dist/runner.js',
      'extension/dist/sandbox-images/Dockerfile',
      'extension/dist/sandbox-images/probe/adapter.js',
      'extension/dist/sandbox-images/probe/helper.c',
      'extension/dist/sandbox-images/seccomp.json',
      'extension/dist/server.js',
      'extension/dist/signer.js',
      'extension/dist/webview/matrix.js',
      'extension/dist/webview/replay.js',
      'extension/dist/webview/verdicts.js',
      'extension/package.json',
      'extension/package.nls.json',
      'extension/readme.md',
    ].sort(),
  );
  const kept = packaged.filter((name) => /^extension\/(docs|media|syntaxes)\//.test(name));
  const wanted = [...filesOf('docs/diagnostics'), ...filesOf('media'), ...filesOf('syntaxes')];
  expect(kept.sort()).toEqual(wanted.sort());
});

test('has the ECMAScript libraries that the sandbox has, none of a browser', () => {
  expect(libraries()).toHaveLength(LIBRARIES);
  for (const name of ['es5', 'es2015', 'es2022', 'es2023', 'es2023.array'])
    expect(libraries()).toContain(`extension/dist/analysis/lib.${name}.d.ts`);
  expect(libraries().filter((name) => /dom|webworker|scripthost/.test(name))).toEqual([]);
});

test('stays small', () => {
  expect(statSync(vsix).size).toBeLessThanOrEqual(LARGEST);
});
