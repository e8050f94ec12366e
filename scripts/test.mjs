// `npm test`: sets up what is missing, then checks types, style and every test. `npm test -- <filter>` runs matching tests.
import { spawnSync } from 'node:child_process';
import {
  checkNode,
  ensurePackage,
  ensureSandbox,
  ensureTestTools,
  installDependencies,
  log,
  root,
  run,
} from './lib/setup.mjs';

checkNode();
installDependencies();
installDependencies(`${root}test/oracle`);
await ensurePackage();
await ensureSandbox();
await ensureTestTools();

const filter = process.argv.slice(2);
if (filter.length === 0) {
  log('Checking types and style ...');
  run('npx', ['tsc', '--noEmit']);
  run('npx', ['biome', 'check', '.']);
}
const { status } = spawnSync('npx', ['vitest', 'run', ...filter], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 2);
