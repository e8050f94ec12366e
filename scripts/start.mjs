// `npm start`: sets up what is missing, qualifies the first two example adapters and says where to look next.
import { spawnSync } from 'node:child_process';
import { checkNode, ensureBuild, ensureSandbox, installDependencies, log, root } from './lib/setup.mjs';

checkNode();
installDependencies();
await ensureBuild();
await ensureSandbox();

// Ctrl-C reaches the qualification too, which ends its runs first; this process waits for it.
process.on('SIGINT', () => {});

const adapters = ['examples/fleet/adapter-v1.js', 'examples/fleet/adapter-v2.js'];
const { status } = spawnSync(process.execPath, ['dist/cli.js', 'qualify', ...adapters], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0 && status !== 1) process.exit(status ?? 2);
log('');
log(
  'Broken rules are what these two adapters are here to show. Each verdict is signed, beside its adapter. Look next:',
);
log(
  '  node dist/cli.js verify examples/fleet/adapter-v1.verdicts.jsonl   checks it offline, from the file alone',
);
log('  node dist/cli.js qualify examples/fleet/adapter-v3.js              an adapter that holds every rule');
log('  node dist/cli.js qualify examples/fleet/adapter-v1.js --scenario lost_answer --json');
log('  examples/fleet/README.md                                           what each example adapter shows');
