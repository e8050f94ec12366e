/** One verdict file from several: each is verified first, and what does not fit together is named, not merged. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { contractByVersion } from '../../../shared/src/contracts/index.ts';
import type { FailureKind } from '../../../shared/src/evidence/failures.ts';
import type { VerdictInputs, VerdictStatement } from '../../../shared/src/evidence/statement.ts';
import { FILE_BYTES, verifyBytes } from '../../../shared/src/evidence/verify.ts';
import { sameJson } from '../../../shared/src/sameJson.ts';
import type { MergeAnswer, MergeFailure, MergeParams } from '../../../shared/src/signerProtocol.ts';
import { type JudgedLine, type OwnFile, verifiedFile } from './existing.ts';
import type { Counts } from './heads.ts';
import type { KeyPlace } from './keyPlace.ts';
import { loadKey } from './keys.ts';
import { fileTrouble, SigningRefused } from './refused.ts';
import { writeVerdicts } from './verdictFile.ts';

/** A line, and where it stands. */
interface Placed extends JudgedLine {
  statement: VerdictStatement;
  file: string;
  /** From 1. */
  number: number;
}

type Demands = Pick<MergeParams, 'partial' | 'trusted'>;

/** Never throws for what it refuses: the answer says why. */
export async function merge(params: MergeParams, place: KeyPlace): Promise<MergeAnswer> {
  try {
    const read = new Map<string, OwnFile>();
    const failures: MergeFailure[] = [];
    for (const file of new Set(params.files)) {
      const checked = await readVerified(file, params);
      if (Array.isArray(checked)) failures.push(...checked);
      else read.set(file, checked);
    }
    if (failures.length > 0) return refused('A file does not verify.', failures);
    const { lines, notes } = withoutRepeats(
      [...read].flatMap(([file, content]) => placedLines(file, content)),
    );
    const [first, ...others] = lines;
    if (first === undefined) throw new SigningRefused('There are no verdict lines to merge.');
    const misfits = [
      ...others.flatMap((line) => misfit(line, first, params)),
      ...rivals(lines),
      ...(params.partial ? [] : gaps(lines)),
    ];
    if (misfits.length > 0) return refused('The files do not make one.', misfits);
    return await written(params.target, [first, ...others], {
      counts: countsOf([...read.values()]),
      notes,
      place,
    });
  } catch (error) {
    if (error instanceof SigningRefused) return refused(error.message, []);
    throw error;
  }
}

function refused(reason: string, failures: MergeFailure[]): MergeAnswer {
  return { merged: false, reason, failures };
}

/** The file, or what is wrong with it. @throws SigningRefused where it cannot be read */
async function readVerified(file: string, { trusted }: Demands): Promise<OwnFile | MergeFailure[]> {
  const bytes = await bytesOf(file);
  const options = { partial: true, ...(trusted === undefined ? {} : { trusted: new Set(trusted) }) };
  const { failures, checkpoint, kind } = await verifyBytes(bytes, options);
  if (failures.length > 0) return failures.map((failure) => ({ ...failure, file }));
  if (checkpoint === null || kind !== 'verdict')
    return [{ file, line: 1, kind: 'form', text: 'Only verdict files of adapters are merged.' }];
  return verifiedFile(bytes.toString('utf8'), checkpoint);
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new SigningRefused(`${file} is no regular file.`);
    if (found.size > FILE_BYTES) throw new SigningRefused(`${file} is larger than 128 MiB.`);
    return await readFile(file);
  } catch (error) {
    throw error instanceof SigningRefused ? error : fileTrouble('read', file, error);
  }
}

function placedLines(file: string, { lines }: OwnFile): Placed[] {
  // Of a file whose kind was looked at.
  return lines.map((line, index) => ({ ...line, file, number: index + 1 }) as Placed);
}

function withoutRepeats(lines: readonly Placed[]): { lines: Placed[]; notes: string[] } {
  const kept = new Map<string, Placed>();
  const notes: string[] = [];
  for (const line of lines) {
    const same = kept.get(line.text);
    if (same === undefined) kept.set(line.text, line);
    else
      notes.push(
        `${nameOf(line)} stands in ${placeOf(same)} and in ${placeOf(line)}, the same; it is kept once.`,
      );
  }
  return { lines: [...kept.values()], notes };
}

function nameOf({ statement }: Placed): string {
  return statement.predicate.inputs.scenario;
}

function placeOf({ file, number }: Placed): string {
  return `${basename(dirname(file))}/${basename(file)}, line ${number}`;
}

function failureOf({ file, number }: Placed, kind: FailureKind, text: string): MergeFailure {
  return { file, line: number, kind, text };
}

/** What a line does not share with the first one, though lines of one file have to. */
function misfit(line: Placed, first: Placed, { partial }: Demands): MergeFailure[] {
  const [one, other] = [first.statement, line.statement];
  if (!sameJson(one.subject, other.subject))
    return [failureOf(line, 'verdict', `It is about another adapter than ${placeOf(first)}.`)];
  const input = differing(sharedInputs(one), sharedInputs(other));
  if (input !== null) return [failureOf(line, 'stale', `Its ${input} is not the one of ${placeOf(first)}.`)];
  const fact = differing(one.predicate.environment, other.predicate.environment);
  if (fact !== null && !partial)
    return [
      failureOf(line, 'partial', `Its environment is not the one of ${placeOf(first)}: the ${fact} differs.`),
    ];
  return [];
}

/** What differs from scenario to scenario is left out. */
function sharedInputs({ predicate }: VerdictStatement): Omit<VerdictInputs, 'plan' | 'scenario' | 'faults'> {
  const { plan: _plan, scenario: _scenario, faults: _faults, ...inputs } = predicate.inputs;
  return inputs;
}

/** The name of the first member that is not the same in both, or null. */
function differing<T extends object>(a: T, b: T): string | null {
  const names = Object.keys(a) as (keyof T & string)[];
  return names.find((name) => !sameJson(a[name], b[name])) ?? null;
}

/** Lines that say of a scenario what another one says otherwise: which of them counts is not ours to say. */
function rivals(lines: readonly Placed[]): MergeFailure[] {
  const met = new Map<string, Placed>();
  return lines.flatMap((line) => {
    const before = met.get(nameOf(line));
    met.set(nameOf(line), before ?? line);
    return before === undefined
      ? []
      : [
          failureOf(
            line,
            'order',
            `Another run of ${nameOf(line)} stands in ${placeOf(before)}; leave out the file whose run does not count.`,
          ),
        ];
  });
}

/** Scenarios of which there is no line. */
function gaps(lines: readonly Placed[]): MergeFailure[] {
  const version = lines[0]?.statement.predicate.inputs.contract ?? '';
  const there = new Set(lines.map(nameOf));
  const missing = (contractByVersion(version)?.scenarios ?? [])
    .map(({ id }) => id)
    .filter((id) => !there.has(id));
  return missing.length === 0
    ? []
    : [{ file: '', line: 0, kind: 'partial', text: `There is no line of ${missing.join(', ')}.` }];
}

/** Runs and failures that went into the files, those that later ones took the place of among them. */
function countsOf(files: readonly OwnFile[]): Counts {
  const seals = new Map(
    files.map(({ checkpoint }) => [checkpoint.digest, checkpoint.statement.predicate.history]),
  );
  const sum: Counts = { runs: 0, failures: 0 };
  for (const { runs, failures } of seals.values()) {
    sum.runs += runs;
    sum.failures += failures;
  }
  return sum;
}

async function written(
  target: string,
  lines: [Placed, ...Placed[]],
  { counts, notes, place }: { counts: Counts; notes: string[]; place: KeyPlace },
): Promise<MergeAnswer> {
  const folder = await realpath(dirname(target)).catch((error: unknown) => {
    throw fileTrouble('written', target, error);
  });
  const key = await loadKey(place);
  const { name, digest } = lines[0].statement.subject[0];
  const subject = { name, sha256: digest.sha256 };
  const news = { target: join(folder, basename(target)), folder, subject, lines, merged: { counts } };
  const done = await writeVerdicts(news, key, place);
  return {
    merged: true,
    verdict: done.verdict,
    lines: lines.length,
    keys: [...new Set([...lines.map(({ kid }) => kid), key.kid])],
    notes: [...notes, ...done.notes],
  };
}
