// `npm run editor`: the extension in an editor, with the example folder open. A desktop VS Code where `code` is on PATH,
// else VS Code in a browser, served on this machine alone until Ctrl-C.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { checkNode, ensureBuild, ensurePackage, installDependencies, log, root, run } from './lib/setup.mjs';
import { editorPaths, ensureCodeServer } from './setup-code-server.mjs';

const example = `${root}examples/fleet`;
const READY = /Extension host agent listening on (\d+)/;

checkNode();
installDependencies();
if (spawnSync('code', ['--version'], { stdio: 'ignore' }).status === 0) await openDesktop();
else await serve();

async function openDesktop() {
  await ensureBuild();
  run('code', ['--new-window', `--extensionDevelopmentPath=${root}`, example]);
  log('VS Code is open with the extension and the example folder.');
}

async function serve() {
  await ensureCodeServer('latest', { log });
  const vsix = `${root}${await ensurePackage()}`;
  const { node, main } = editorPaths('latest');
  // Settings and state of this editor stay from one time to the next.
  const home = `${root}.cache/editor`;
  mkdirSync(home, { recursive: true });
  const folders = [
    '--server-data-dir',
    home,
    '--user-data-dir',
    `${home}/user`,
    '--extensions-dir',
    `${home}/extensions`,
  ];
  const flags = [...folders, '--accept-server-license-terms'];
  // No marketplace is asked: the package is the only extension.
  const env = { EXTENSIONS_GALLERY: '{"serviceUrl":""}' };
  install(node, [main, ...flags, '--install-extension', vsix, '--force'], env);
  const serving = [...flags, '--host', '127.0.0.1', '--port', '0', '--without-connection-token'];
  const server = spawn(node, [main, ...serving, '--telemetry-level', 'off', '--disable-update-check'], {
    env: { ...process.env, ...env },
    // It complains of native parts that nothing here needs.
    stdio: ['ignore', 'pipe', openSync(`${home}/server.log`, 'w')],
  });
  // Ctrl-C reaches the server too; this process waits for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => server.kill());
  let said = '';
  server.stdout.setEncoding('utf8').on('data', (text) => {
    if (said === null) return;
    said += text;
    const port = READY.exec(said)?.[1];
    if (port === undefined) return;
    said = null;
    log('');
    process.stdout.write(`http://127.0.0.1:${port}/?folder=${encodeURI(example)}\n`);
    log(
      'Open it in a browser of this machine. Whoever reaches that address can run code as you. Ctrl-C ends it.',
    );
  });
  server.once('exit', (code) => process.exit(code ?? 0));
}

/** What the editor says while it installs is shown only where it fails. */
function install(command, args, env) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status === 0) return;
  log(`loadline: the extension could not be installed: ${stdout}${stderr}`);
  process.exit(2);
}
