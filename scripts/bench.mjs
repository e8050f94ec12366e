// `npm run bench`: measures this machine, each number as a ratio to what it is measured against in the same run, and
// writes docs/performance.md. `npm run bench -- <name>` runs one of test/bench and prints it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { checkNode, ensureSandbox, installDependencies, log, root, run } from './lib/setup.mjs';

const FOLDER = join(root, 'test/bench');
const BUNDLES = join(root, 'node_modules/.cache/bench');
const SUFFIX = /\.bench\.(mjs|ts)$/;

checkNode();
installDependencies();
run('node', ['scripts/build.mjs']);
await ensureSandbox();

const filter = process.argv[2] ?? '';
const files = readdirSync(FOLDER).filter((file) => SUFFIX.test(file) && file.startsWith(filter));
const parts = [];
for (const file of files) {
  log(`Measuring ${file.replace(SUFFIX, '')} ...`);
  const { bench } = await import(pathToFileURL(await runnable(file)).href);
  parts.push(textOf(await bench()));
  console.log(parts.at(-1));
}
if (filter === '') {
  writeFileSync(join(root, 'docs/performance.md'), `${[head(), ...parts].join('\n\n')}\n`);
  log('Written: docs/performance.md');
}

async function runnable(file) {
  if (file.endsWith('.mjs')) return join(FOLDER, file);
  mkdirSync(BUNDLES, { recursive: true });
  const outfile = join(BUNDLES, file.replace(/\.ts$/, '.mjs'));
  const target = { platform: 'node', format: 'esm', target: 'node20', packages: 'external' };
  await build({ entryPoints: [join(FOLDER, file)], bundle: true, outfile, ...target });
  return outfile;
}

function head() {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return [
    '# Performance',
    '',
    '<!-- Written by `npm run bench`. -->',
    '',
    `Loadline ${version}, Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim()}), ${memory} GiB of memory. Each ratio is of one run; the numbers beside it are of this machine alone.`,
  ].join('\n');
}

function textOf({ title, rows, notes }) {
  const number = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));
  return [
    `## ${title}`,
    '',
    '| What | Loadline | Against | Ratio | Unit |',
    '| --- | ---: | ---: | ---: | --- |',
    ...rows.map(({ what, ours, other, ratio, unit }) =>
      other === null
        ? `| ${what} | ${number(ours)} | | | ${unit} |`
        : `| ${what} | ${number(ours)} | ${number(other)} | ${number(ratio)} | ${unit} |`,
    ),
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
  ].join('\n');
}
