/**
 * The base image of the sandbox: the official slim Node 22 image where it is present, else one assembled FROM scratch
 * from the npm package that carries the Node 22 binary of this platform and this host's C and C++ runtime libraries.
 * Where that cannot be (another system than the engine's), the official one is pulled.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { cacheFolder, loadSource } from './load-source.mjs';

const OFFICIAL = 'node:22-slim';
const NODE_MAJOR = '22';

/** Kept in the image's labels; a change of the recipe below is a change of this number. */
const RECIPE_LABEL = 'loadline.base.recipe';
const RECIPE = '1';

const PLATFORMS = new Map([
  [
    'x64',
    { engine: ['x86_64', 'amd64'], triplet: 'x86_64-linux-gnu', loader: '/lib64/ld-linux-x86-64.so.2' },
  ],
  [
    'arm64',
    { engine: ['aarch64', 'arm64'], triplet: 'aarch64-linux-gnu', loader: '/lib/ld-linux-aarch64.so.1' },
  ],
]);

/** The last two are part of libc itself on some systems and then absent as files. */
const LIBRARIES = [
  'libc.so.6',
  'libm.so.6',
  'libstdc++.so.6',
  'libgcc_s.so.1',
  'libdl.so.2',
  'libpthread.so.0',
];
const OPTIONAL = new Set(['libdl.so.2', 'libpthread.so.0']);

const DOCKERFILE = `FROM scratch
COPY root /
ENV PATH=/usr/local/bin
LABEL ${RECIPE_LABEL}=${RECIPE}
CMD ["node"]
`;

/**
 * Makes sure that a base image is there. Returns its reference (`node:22-slim` or `loadline/base:<digest>`).
 * `log` is called with one line per thing that is done; it is not called when there is nothing to do.
 */
export async function ensureBaseImage({ log = () => {}, host } = {}) {
  const { connectEngine } = await loadSource('server/src/sandbox/engine.ts');
  const engine = await connectEngine(host === undefined ? {} : { host });
  try {
    return (await present(engine.docker)) ?? (await assemble(engine, log));
  } finally {
    engine.close();
  }
}

async function present(docker) {
  const official = await docker.listImages({ filters: { reference: [OFFICIAL] } });
  if (official.length > 0) return OFFICIAL;
  const assembled = await docker.listImages({ filters: { label: [`${RECIPE_LABEL}=${RECIPE}`] } });
  const tags = assembled.flatMap((image) => image.RepoTags ?? []);
  // Podman says which registry a name without one stands for, though nothing came from there.
  return tags.find((tag) => /^(docker\.io\/|localhost\/)?loadline\/base:/.test(tag));
}

async function assemble(engine, log) {
  const platform = PLATFORMS.get(process.arch);
  const engineArch = engine.facts.architecture;
  if (process.platform !== 'linux' || !platform?.engine.includes(engineArch)) {
    return pull(engine.docker, log);
  }
  const files = [
    { name: 'root/usr/local/bin/node', file: await nodeBinary(log), mode: 0o755 },
    { name: `root${platform.loader}`, file: fs.realpathSync(required(platform.loader)), mode: 0o755 },
    ...libraries(platform),
  ];
  const digest = await digestOf(files);
  const tag = `loadline/base:${digest.slice(0, 16)}`;
  log(`Building the base image ${tag} from Node ${NODE_MAJOR} and this host's C library`);
  await buildImage(engine.docker, files, tag);
  return tag;
}

async function pull(docker, log) {
  log(`Pulling the base image ${OFFICIAL}`);
  try {
    await followed(docker, await docker.pull(OFFICIAL));
  } catch (error) {
    throw new Error(
      `The base image ${OFFICIAL} could not be pulled (${error.message}); run \`docker pull ${OFFICIAL}\` where a registry answers.`,
      { cause: error },
    );
  }
  return OFFICIAL;
}

function followed(docker, output) {
  return new Promise((resolve, reject) => {
    docker.modem.followProgress(output, (error) => (error ? reject(error) : resolve()));
  });
}

function required(file) {
  if (fs.existsSync(file)) return file;
  throw new Error(
    `The base image cannot be assembled: ${file} is missing (is this a system without glibc?). Run \`docker pull ${OFFICIAL}\`.`,
  );
}

function libraries({ triplet }) {
  const folders = [`/lib/${triplet}`, `/usr/lib/${triplet}`, '/lib64', '/usr/lib64', '/usr/lib', '/lib'];
  const found = [];
  for (const name of LIBRARIES) {
    const file = folders
      .map((folder) => path.join(folder, name))
      .find((candidate) => fs.existsSync(candidate));
    if (file !== undefined) {
      found.push({ name: `root/lib/${triplet}/${name}`, file: fs.realpathSync(file), mode: 0o755 });
    } else if (!OPTIONAL.has(name)) {
      required(`/lib/${triplet}/${name}`);
    }
  }
  return found;
}

/** Path of the Node binary, installed once into the cache folder. No install script of the package is run. */
async function nodeBinary(log) {
  const name = `node-linux-${process.arch}`;
  const prefix = path.join(cacheFolder, name);
  const binary = path.join(prefix, 'node_modules', name, 'bin', 'node');
  if (fs.existsSync(binary)) return binary;
  log(`Fetching Node ${NODE_MAJOR} for the sandbox (npm package ${name}, about 45 MB)`);
  fs.mkdirSync(prefix, { recursive: true });
  await run('npm', [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefix',
    prefix,
    `${name}@${NODE_MAJOR}`,
  ]);
  return required(binary);
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], shell: false });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`\`${command} ${args.join(' ')}\` ended with ${code}.`)),
    );
  });
}

async function digestOf(files) {
  const hash = createHash('sha256').update(DOCKERFILE);
  for (const { name, file } of files) {
    const content = createHash('sha256');
    await pipeline(fs.createReadStream(file), content);
    hash.update(`${name} ${content.digest('hex')}\n`);
  }
  return hash.digest('hex');
}

async function buildImage(docker, files, tag) {
  const { default: tar } = await import('tar-stream');
  const pack = tar.pack();
  const filling = fill(pack, files).catch((error) => pack.destroy(error));
  await followed(docker, await docker.buildImage(pack, { t: tag, forcerm: true, version: '1' }));
  await filling;
}

/** Times and owners are fixed, so equal inputs give equal layers. */
async function fill(pack, files) {
  const common = { mtime: new Date(0), uid: 0, gid: 0 };
  pack.entry({ ...common, name: 'Dockerfile', mode: 0o644 }, DOCKERFILE);
  pack.entry({ ...common, name: 'root/tmp/', type: 'directory', mode: 0o1777 });
  for (const { name, file, mode } of files) {
    const entry = pack.entry({ ...common, name, mode, size: fs.statSync(file).size });
    await pipeline(fs.createReadStream(file), entry);
  }
  pack.finalize();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const reference = await ensureBaseImage({ log: (line) => console.error(line) });
    console.log(reference);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}
