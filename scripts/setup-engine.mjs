/**
 * Makes sure that a container engine answers. One that runs is never stopped or reconfigured. Where none answers and this
 * is root on Debian or Ubuntu, Docker is installed and started; elsewhere the command to run is said.
 */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadSource } from './load-source.mjs';

const DAEMON_CONFIG = '/etc/docker/daemon.json';
const DAEMON_LOG = '/var/log/loadline-dockerd.log';
/** What an endpoint says of itself where neither a setting, the environment nor a docker context named one. */
const DEFAULT_SOURCE = 'the default socket';
const START_WAIT_MS = 60_000;
/** An old runsc cannot set up its own network even where the container has none, so it is told that there is none. */
const RUNSC = { path: '/usr/bin/runsc', runtimeArgs: ['--platform=ptrace', '--network=none'] };

/**
 * Returns the engine's facts. `log` is called with one line per thing that is done; it is not called when an engine
 * answers. Throws an Error whose message says what to run where nothing may be installed.
 */
export async function ensureEngine({ log = () => {}, host } = {}) {
  const { connectEngine } = await loadSource('server/src/sandbox/engine.ts');
  const { findEndpoint, processDiscovery } = await loadSource('server/src/sandbox/endpoint.ts');
  const ask = async () => {
    const engine = await connectEngine(host === undefined ? {} : { host });
    engine.close();
    return engine.facts;
  };
  try {
    return await ask();
  } catch (error) {
    if (!mayInstall(error) || findEndpoint(processDiscovery(host)).source !== DEFAULT_SOURCE)
      throw new Error(`${error.message}${advice()}`, { cause: error });
  }
  const installed = await install(log);
  await startDaemon(log, installed);
  return waitFor(ask);
}

/** Only where there is no engine at all at the default socket: one that refuses us is somebody's. */
function mayInstall(error) {
  const none = error.problem === 'absent' || error.problem === 'refused';
  return none && process.getuid?.() === 0 && isDebian();
}

export function isDebian() {
  const release = readOr('/etc/os-release');
  return process.platform === 'linux' && /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release);
}

function advice() {
  if (process.platform === 'linux' && isDebian()) {
    return '\nTo install and start one: sudo apt-get install -y docker.io && sudo systemctl start docker';
  }
  return '\nInstall a container engine (https://docs.docker.com/engine/install/), start it, and run this again.';
}

/** True: it was not there before, so what its package may have started is ours to restart. */
async function install(log) {
  if (isInstalled('dockerd')) return false;
  const packages = ['docker.io', 'iptables'];
  log('No container engine answers. Installing Docker from this system’s packages: apt-get update');
  await apt(['update']);
  if (await packageExists('runsc')) packages.push('runsc');
  log(`apt-get install ${packages.join(' ')}`);
  // The package would start a service of its own where there is an init system to do so; a container has none.
  await apt(['install', '-y', '--no-install-recommends', ...packages]);
  if (packages.includes('runsc')) registerRunsc(log);
  return true;
}

export function isInstalled(binary) {
  return (process.env.PATH ?? '').split(':').some((folder) => fs.existsSync(path.join(folder, binary)));
}

export function apt(args) {
  return run('apt-get', ['-q', ...args], { ...process.env, DEBIAN_FRONTEND: 'noninteractive' });
}

async function packageExists(name) {
  const { code } = await capture('apt-cache', ['show', name]);
  return code === 0;
}

/** Adds the gVisor runtime to the engine that was just installed. What the file says already stays as it is. */
function registerRunsc(log) {
  const merged = mergeDaemonConfig(readOr(DAEMON_CONFIG));
  if (merged === undefined) return;
  fs.mkdirSync(path.dirname(DAEMON_CONFIG), { recursive: true });
  fs.writeFileSync(DAEMON_CONFIG, merged);
  log(`Registered the gVisor runtime "runsc" in ${DAEMON_CONFIG}`);
}

/** The new text of daemon.json, or undefined where it has to stay (it names runsc already, or is no JSON object). */
export function mergeDaemonConfig(text) {
  let config = {};
  if (text.trim() !== '') {
    try {
      config = JSON.parse(text);
    } catch {
      return undefined;
    }
  }
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(config)) return undefined;
  const runtimes = config.runtimes ?? {};
  if (!isObject(runtimes) || Object.hasOwn(runtimes, 'runsc')) return undefined;
  return `${JSON.stringify({ ...config, runtimes: { ...runtimes, runsc: RUNSC } }, null, 2)}\n`;
}

/** With an init system through it, else as a process of its own that outlives this one. */
async function startDaemon(log, installed) {
  if (fs.existsSync('/run/systemd/system')) {
    // A service that the installation started has not read daemon.json yet.
    const verb = installed ? 'restart' : 'start';
    log(`Starting Docker: systemctl ${verb} docker`);
    return run('systemctl', [verb, 'docker'], process.env);
  }
  log(`Starting dockerd in the background (log: ${DAEMON_LOG}, process id: /var/run/docker.pid)`);
  const output = fs.openSync(DAEMON_LOG, 'a');
  const child = spawn('dockerd', [], { detached: true, cwd: '/', stdio: ['ignore', output, output] });
  const failed = new Promise((_resolve, reject) => child.once('error', reject));
  await Promise.race([failed, new Promise((resolve) => child.once('spawn', resolve))]);
  child.unref();
  fs.closeSync(output);
}

async function waitFor(ask) {
  const end = Date.now() + START_WAIT_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) {
        const last = readOr(DAEMON_LOG).trim().split('\n').slice(-3).join('\n');
        throw new Error(`Docker was started and does not answer. Its last words (${DAEMON_LOG}):\n${last}`, {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}

function readOr(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function run(command, args, env) {
  const { code, output } = await capture(command, args, env);
  if (code === 0) return;
  const last = output.trim().split('\n').slice(-5).join('\n');
  throw new Error(`\`${command} ${args.join(' ')}\` ended with ${code}:\n${last}`);
}

function capture(command, args, env = process.env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const { name, version, endpoint } = await ensureEngine({ log: (line) => console.error(line) });
    console.log(`${name} ${version} at ${endpoint}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}
