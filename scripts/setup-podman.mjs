/** Makes sure that Podman is there: tests run the sandbox and its probe on it. No service of it is started here. */
import { apt, isDebian, isInstalled } from './setup-engine.mjs';

/** Installs it as root on Debian or Ubuntu. Throws an Error whose message says what to run elsewhere. */
export async function ensurePodman({ log = () => {} } = {}) {
  // Podman takes crun or runc; tests start it with runc, which Docker's packages may have brought already.
  const packages = ['podman', 'runc'].filter((name) => !isInstalled(name));
  if (packages.length === 0) return;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !isDebian()) {
    throw new Error(
      `${packages.join(' and ')} missing, which tests of the sandbox on Podman need. On Debian or Ubuntu: sudo apt-get install -y ${packages.join(' ')}; elsewhere see https://podman.io/docs/installation.`,
    );
  }
  log(`apt-get install ${packages.join(' ')} (a second container engine, for tests)`);
  await apt(['update']);
  await apt(['install', '-y', '--no-install-recommends', ...packages]);
}
