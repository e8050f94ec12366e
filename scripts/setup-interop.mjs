/** Makes sure that Debian's jwcrypto for Python is there: tests check our signatures with a JOSE library that is not ours. */
import { spawnSync } from 'node:child_process';
import { apt, isDebian } from './setup-engine.mjs';

/** The distribution's own interpreter: another one on PATH would not see the distribution's packages. */
const PYTHON = '/usr/bin/python3';

/** Installs it as root on Debian or Ubuntu. Throws an Error whose message says what to run elsewhere. */
export async function ensureJwcrypto({ log = () => {} } = {}) {
  if (spawnSync(PYTHON, ['-c', 'import jwcrypto']).status === 0) return;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !isDebian()) {
    throw new Error(
      "jwcrypto for Python is missing, which tests of signatures need. On Debian or Ubuntu: sudo apt-get install -y python3-jwcrypto; elsewhere install it for the system's Python.",
    );
  }
  log('apt-get install python3-jwcrypto (checks signatures in tests)');
  await apt(['update']);
  await apt(['install', '-y', '--no-install-recommends', 'python3-jwcrypto']);
}
