/**
 * Our language server against the way in which the field types a vendor's API: TypeScript's own server on openapi-fetch with
 * the types that openapi-typescript makes of the document. Both are asked in turn, in one run, on the same adapter.
 */
import { foldersOf, Ours, Theirs, toggle, unfinished, WAIT_MS } from './language/sides.mjs';
import { REST, subjects } from './language/subjects.mjs';

const STARTS = 3;
const SAMPLES = 100;
const SIDES = [Ours, Theirs];

/** @returns {Promise<{title: string, rows: {what: string, ours: number, other: number, ratio: number, unit: string}[], notes: string[]}>} */
export async function bench() {
  const all = subjects();
  const rows = [];
  for (const subject of all) rows.push(...(await rowsOf(subject)));
  return {
    title: 'Language server against tsserver with openapi-typescript and openapi-fetch',
    rows,
    notes: [
      `First completion: from the start of the process, median of ${STARTS}. Their types were made of the document before; ours are made in that time.`,
      `The others: ${SAMPLES} samples each, in turn, each after a key.`,
      `Published diagnostics: both wait ${WAIT_MS} ms for the next key first. Asked for: no wait.`,
      'Ours says what the grant allows and follows the flow of the adapter as well; theirs checks types.',
      ...(all.length > 1 ? [] : ['The document of 1,223 operations was not there and is left out.']),
    ],
  };
}

async function rowsOf(subject) {
  const folders = await foldersOf(subject);
  try {
    const first = await firstCompletions(subject, folders);
    const { warm, findings, memory } = await session(subject, folders);
    const published = await publications(subject, folders);
    const of = (what, times, share) =>
      row(
        `${subject.name}: ${what}`,
        times.map((each) => quantile(each, share)),
        'ms',
      );
    return [
      of('first completion', first, 0.5),
      of('completion after a key, p50', warm, 0.5),
      of('completion after a key, p95', warm, 0.95),
      of('diagnostics asked for after a key, p50', findings, 0.5),
      of('diagnostics asked for after a key, p95', findings, 0.95),
      of('diagnostics published after a key, p50', published, 0.5),
      of('diagnostics published after a key, p95', published, 0.95),
      row(`${subject.name}: memory afterwards`, memory, 'MB'),
    ];
  } finally {
    folders.remove();
  }
}

/** Of each side: the times of new processes, one process at a time. */
async function firstCompletions(subject, folders) {
  const times = [[], []];
  for (let count = 0; count < STARTS; count += 1)
    for (const [index, Side] of SIDES.entries()) {
      const start = performance.now();
      const side = await Side.start(folderOf(folders, index), subject, {
        text: unfinished(sideOf(subject, index)),
      });
      const labels = await side.labels();
      times[index].push(performance.now() - start);
      expectLabels(sideOf(subject, index), labels);
      await side.stop();
    }
  return times;
}

/** Of each side: times of one long session of an editor that asks, and what the server holds after it. */
async function session(subject, folders) {
  const sides = await startBoth(subject, folders, { pull: true });
  const findings = await inTurn(
    sides,
    expectNone((side) => side.findings()),
  );
  for (const side of sides) await side.edit(REST, side.side.unfinished);
  const warm = await inTurn(sides, async (side) => expectLabels(side.side, await side.labels()));
  const memory = sides.map((side) => side.memory() / 1e6);
  for (const side of sides) await side.stop();
  return { warm, findings, memory };
}

/** Of each side: times until diagnostics came, of an editor that is told them. */
async function publications(subject, folders) {
  const sides = await startBoth(subject, folders, { pull: false });
  const times = await inTurn(
    sides,
    expectNone((side) => side.published()),
  );
  for (const side of sides) await side.stop();
  return times;
}

async function startBoth(subject, folders, options) {
  const sides = [];
  for (const [index, Side] of SIDES.entries())
    sides.push(await Side.start(folderOf(folders, index), subject, options));
  return sides;
}

/** Times of an answer after a key, of each side, after two that do not count. */
async function inTurn(sides, ask) {
  const times = sides.map(() => []);
  for (let count = 0; count < SAMPLES + 2; count += 1)
    for (const [index, side] of sides.entries()) {
      const start = performance.now();
      await toggle(side, count);
      await ask(side);
      if (count >= 2) times[index].push(performance.now() - start);
    }
  return times;
}

/** Both have to be right about an adapter without an error, or nothing is compared. */
const expectNone = (ask) => async (side) => {
  const count = await ask(side);
  if (count !== 0)
    throw new Error(`${side.constructor.name} finds ${count} errors in an adapter without one.`);
};

function expectLabels(side, labels) {
  const missing = side.labels.filter((label) => !labels.includes(label));
  if (missing.length > 0)
    throw new Error(`Completion offers ${labels.length} labels without ${missing.join(', ')}.`);
}

const folderOf = ({ ours, theirs }, index) => (index === 0 ? ours : theirs);
const sideOf = ({ ours, theirs }, index) => (index === 0 ? ours : theirs);

function quantile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

function row(what, [ours, other], unit) {
  return { what, ours, other, ratio: ours / other, unit };
}
