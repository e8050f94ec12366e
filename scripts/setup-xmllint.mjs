/** Makes sure that `xmllint` is there: tests validate JUnit reports with it. */
import { apt, isDebian, isInstalled } from './setup-engine.mjs';

/** Installs it as root on Debian or Ubuntu. Throws an Error whose message says what to run elsewhere. */
export async function ensureXmllint({ log = () => {} } = {}) {
  if (isInstalled('xmllint')) return;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !isDebian()) {
    throw new Error(
      'xmllint is missing, which tests of JUnit reports need. On Debian or Ubuntu: sudo apt-get install -y libxml2-utils; elsewhere install libxml2.',
    );
  }
  log('apt-get install libxml2-utils (xmllint validates JUnit reports in tests)');
  await apt(['update']);
  await apt(['install', '-y', '--no-install-recommends', 'libxml2-utils']);
}
