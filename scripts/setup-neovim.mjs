/** Makes sure that Neovim is there: a test holds a session in it, with the configuration that docs/tasks gives. */
import { apt, isDebian, isInstalled } from './setup-engine.mjs';

/** Installs it as root on Debian or Ubuntu. Throws an Error whose message says what to run elsewhere. */
export async function ensureNeovim({ log = () => {} } = {}) {
  if (isInstalled('nvim')) return;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !isDebian()) {
    throw new Error(
      'nvim is missing, which tests of another editor need. On Debian or Ubuntu: sudo apt-get install -y neovim; elsewhere install Neovim 0.7 or newer.',
    );
  }
  log('apt-get install neovim (another editor, for tests)');
  await apt(['update']);
  await apt(['install', '-y', '--no-install-recommends', 'neovim']);
}
