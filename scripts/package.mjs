// `npm run package`: loadline-<version>.vsix from a fresh build.
import { readFileSync } from 'node:fs';
import { checkNode, ensureBuild, installDependencies, root, run } from './lib/setup.mjs';

checkNode();
installDependencies();
await ensureBuild();
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
run('npx', [
  'vsce',
  'package',
  '--no-dependencies',
  '--allow-missing-repository',
  '--no-rewrite-relative-links',
  '--out',
  `loadline-${version}.vsix`,
]);
process.stdout.write(`loadline-${version}.vsix\n`);
