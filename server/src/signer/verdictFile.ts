/** The signed file beside what it is about: new lines go into it, a checkpoint seals it, nothing that stood there is lost. */
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import { signStatement, thumbprint } from '../../../shared/src/evidence/jws.ts';
import { rulesOfStatement } from '../../../shared/src/evidence/lineKinds.ts';
import type { CheckpointPredicate } from '../../../shared/src/evidence/statement.ts';
import { checkpointStatement, lineText, type Subject } from '../../../shared/src/evidence/statements.ts';
import { FILE_BYTES } from '../../../shared/src/evidence/verify.ts';
import { type Existing, type JudgedLine, type OwnFile, readExisting } from './existing.ts';
import { type Counts, type Head, headOf, keepHead } from './heads.ts';
import type { KeyPlace } from './keyPlace.ts';
import { retiredKeys, type SigningKey } from './keys.ts';
import { withLock } from './lock.ts';
import { historyName, type Keep, readTarget, replaceTarget, setAsideName } from './place.ts';
import { SigningRefused } from './refused.ts';

export interface NewLines {
  /** Absolute path of the file, its folder's real path. */
  target: string;
  /** Real path of the project folder; older files go to `.loadline/history/` in it. */
  folder: string;
  subject: Subject;
  /** At least one, of one kind; one per name (scenario, runtime). */
  lines: [JudgedLine, ...JudgedLine[]];
  /** They come from other files, of whatever keys, and are all that the new file holds. */
  merged?: {
    /** What the checkpoints of those files count. */
    counts: Counts;
  };
}

export interface Written {
  verdict: CheckpointPredicate['verdict'];
  /** For people: what was set aside or kept, and why. */
  notes: string[];
}

/** @throws SigningRefused; the file is then as it was */
export async function writeVerdicts(news: NewLines, key: SigningKey, place: KeyPlace): Promise<Written> {
  const { target } = news;
  const lock = join(dirname(target), `.${basename(target)}.lock`);
  return withLock(lock, async () => {
    const head = await headOf(place, target);
    const bytes = await readTarget(target);
    const retired = await Promise.all((await retiredKeys(place)).map(thumbprint));
    const existing = await readExisting(bytes, [key.kid, ...retired]);
    const before = whatBecomesOf(existing, { head, news, kid: key.kid });
    const { text, next, verdict } = await sealed(news, key, before, head);
    if (Buffer.byteLength(text) > FILE_BYTES)
      throw new SigningRefused(`${target} would be larger than 128 MiB; move it away and run again.`);
    const kept = await replaceTarget(target, text, await keepOf(before, news));
    const notes = kept === null || before.note === null ? [] : [before.note(kept)];
    return { verdict, notes: [...notes, ...(await rememberHead(place, target, next))] };
  });
}

/** What stood there, and what is to become of it. */
interface Before {
  /** Whose checkpoint the new one replaces; null: none that counts. */
  own: OwnFile | null;
  /** Lines that stay. */
  lines: JudgedLine[];
  keep: 'nowhere' | 'history' | 'aside';
  note: ((kept: string) => string) | null;
}

function whatBecomesOf(
  existing: Existing,
  { head, news, kid }: { head: Head | null; news: NewLines; kid: string },
): Before {
  const name = basename(news.target);
  const nothing: Before = { own: null, lines: [], keep: 'nowhere', note: null };
  const aside = (why: string): Before => ({
    ...nothing,
    keep: 'aside',
    note: (kept) => `${name} was set aside as ${basename(kept)}: ${why}`,
  });
  if (existing.kind === 'none') return nothing;
  if (existing.kind === 'foreign') return aside(existing.why);
  const { file } = existing;
  if (isOlder(file, head)) return aside('it is older than the one that was signed last here (older).');
  const anew = (why: string): Before => ({
    ...{ own: file, lines: [], keep: 'history' },
    note: (kept) => `${name} starts anew, since ${why}; the old one is ${kept}.`,
  });
  if (news.merged !== undefined) {
    const texts = new Set(news.lines.map(({ text }) => text));
    if (file.lines.every(({ text }) => texts.has(text)))
      return { own: file, lines: [], keep: 'nowhere', note: null };
    return { ...aside('it holds other lines than those that were merged.'), own: file };
  }
  if (file.checkpoint.statement.predicate.mergedFrom !== undefined)
    return anew('it was merged from files of other keys');
  if (!sameFacts([...file.lines, ...news.lines])) return anew('adapter, inputs or environment changed');
  const replaced = new Set(news.lines.map(nameOf));
  const lines = file.lines.filter((line) => !replaced.has(nameOf(line)));
  if (formerKeys([file.checkpoint, ...lines], kid).size > 1) return anew('the key was rotated twice');
  return { own: file, lines, keep: 'nowhere', note: null };
}

function nameOf({ statement }: JudgedLine): string {
  return rulesOfStatement(statement).nameOf(statement);
}

function sameFacts(lines: readonly JudgedLine[]): boolean {
  return new Set(lines.map(({ statement }) => rulesOfStatement(statement).sharedFacts(statement))).size === 1;
}

/** Keys other than the one in use: but for a merged file, a checkpoint can name one of them. */
function formerKeys(signed: readonly { kid: string }[], kid: string): Set<string> {
  return new Set(signed.map((each) => each.kid).filter((each) => each !== kid));
}

/** Not the file that was written last under this name, nor one that came after it. */
function isOlder({ checkpoint }: OwnFile, head: Head | null): boolean {
  if (head === null || checkpoint.digest === head.checkpoint) return false;
  return checkpoint.statement.predicate.sequence <= head.sequence;
}

async function keepOf(before: Before, { target, folder }: NewLines): Promise<Keep> {
  if (before.keep === 'aside') return setAsideName(target);
  if (before.keep === 'history' && before.own !== null)
    return historyName(folder, target, before.own.checkpoint.digest);
  return null;
}

/** The text of the new file and the head that goes with it. */
async function sealed(
  news: NewLines,
  key: SigningKey,
  { own, lines }: Before,
  head: Head | null,
): Promise<{ text: string; next: Head; verdict: CheckpointPredicate['verdict'] }> {
  const { subject } = news;
  const rules = rulesOfStatement(news.lines[0].statement);
  const merged = [...lines, ...news.lines].sort((a, b) => rules.compare(a.statement, b.statement));
  const verdict = rules.verdictOf(merged.map(({ statement }) => statement));
  const replaced = own?.checkpoint ?? null;
  const sequence = Math.max(replaced?.statement.predicate.sequence ?? 0, head?.sequence ?? 0) + 1;
  const before = countsSoFar(subject, own, head);
  const history = news.merged ? larger(before, news.merged.counts) : added(before, news.lines);
  const last = replaced ?? head;
  const [formerKey] = formerKeys([...(last === null ? [] : [last]), ...lines], key.kid);
  const mergedFrom = news.merged ? [...formerKeys(merged, key.kid)] : [];
  const statement = checkpointStatement(subject, {
    key: key.publicKey,
    lines: await Promise.all(merged.map(({ text }) => sha256(text))),
    verdict,
    sequence,
    previous: replaced?.digest ?? head?.checkpoint ?? null,
    history,
    ...(formerKey === undefined ? {} : { rotatedFrom: formerKey }),
    ...(mergedFrom.length === 0 ? {} : { mergedFrom }),
  });
  const checkpoint = lineText(await signStatement('checkpoint', statement, key));
  const others = (head?.counts ?? []).filter(([adapter]) => adapter !== subject.sha256);
  return {
    text: [...merged.map(({ text }) => text), checkpoint].map((line) => `${line}\n`).join(''),
    next: {
      kid: key.kid,
      sequence,
      checkpoint: await sha256(checkpoint),
      counts: [...others, [subject.sha256, history]],
    },
    verdict,
  };
}

/** What file and head say of this subject; of two that differ, the one that saw more. */
function countsSoFar({ sha256: digest }: Subject, own: OwnFile | null, head: Head | null): Counts {
  const none: Counts = { runs: 0, failures: 0 };
  const seal = own?.checkpoint.statement;
  const inFile = seal?.subject[0].digest.sha256 === digest ? seal.predicate.history : none;
  const inHead = head?.counts.find(([adapter]) => adapter === digest)?.[1] ?? none;
  return larger(inFile, inHead);
}

function larger(a: Counts, b: Counts): Counts {
  return b.runs > a.runs ? b : a;
}

function added({ runs, failures }: Counts, lines: readonly JudgedLine[]): Counts {
  const failed = lines.filter(({ statement }) => statement.predicate.outcome.verdict === 'failed');
  return { runs: runs + lines.length, failures: failures + failed.length };
}

/** The file is written by now: a head that cannot be kept is said, and nothing else. */
async function rememberHead(place: KeyPlace, target: string, head: Head): Promise<string[]> {
  try {
    await keepHead(place, target, head);
    return [];
  } catch (error) {
    return [
      `That this is the newest file could not be noted in ${place.heads} (${(error as Error).message}), so an older one put back would not be noticed.`,
    ];
  }
}
