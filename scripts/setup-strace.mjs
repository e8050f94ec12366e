/** Makes sure that `strace` is there: a test shows with it what the language server does in an untrusted folder. */
import { apt, isDebian, isInstalled } from './setup-engine.mjs';

/** Installs it as root on Debian or Ubuntu. Throws an Error whose message says what to run elsewhere. */
export async function ensureStrace({ log = () => {} } = {}) {
  if (isInstalled('strace')) return;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !isDebian()) {
    throw new Error(
      'strace is missing, which tests of untrusted workspaces need. On Debian or Ubuntu: sudo apt-get install -y strace; elsewhere install it.',
    );
  }
  log('apt-get install strace (watches an untrusted language server in tests)');
  await apt(['update']);
  await apt(['install', '-y', '--no-install-recommends', 'strace']);
}
