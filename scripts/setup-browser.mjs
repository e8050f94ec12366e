/** Makes sure that Chromium is there: tests verify a verdict file in a browser. */
import { apt, isDebian, isInstalled } from './setup-engine.mjs';

/** Installs it as root on Debian. Throws an Error whose message says what to run elsewhere. */
export async function ensureChromium({ log = () => {} } = {}) {
  if (isInstalled('chromium')) return;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !isDebian()) {
    throw new Error(
      'chromium is missing, which tests of the verifier need. On Debian: sudo apt-get install -y chromium; elsewhere install it so that `chromium` is on PATH.',
    );
  }
  log('apt-get install chromium (verifies a file in a browser in tests)');
  await apt(['update']);
  await apt(['install', '-y', '--no-install-recommends', 'chromium']);
}
