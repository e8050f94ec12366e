/** Verifying a signed file: offline, from its bytes alone and what the reader brings along. Pure; Node and browser. */
import { sha256 } from './digest.ts';
import { type Failure, type FailureKind, Refused } from './failures.ts';
import { MetKeys } from './jws.ts';
import { rulesOfKind } from './lineKinds.ts';
import { leftOpen } from './notEstablished.ts';
import { type ReadLine, readLine } from './readLine.ts';
import { type FileLine, sealFailures } from './sealed.ts';
import type { CheckpointPredicate, JudgedKind, JudgedStatement } from './statement.ts';
import { type Expected, unexpectedInput } from './trust.ts';

export const FILE_BYTES = 128 * 1024 * 1024;
/** More than any contract has scenarios. */
export const MOST_LINES = 10_000;
/** Lines under way at once: while one is hashed another is parsed. */
const AT_ONCE = 8;

/** Files of today, to be compared with what was judged. */
export interface AtHand {
  adapter?: Uint8Array<ArrayBuffer>;
  document?: Uint8Array<ArrayBuffer>;
  grant?: Uint8Array<ArrayBuffer>;
  config?: Uint8Array<ArrayBuffer>;
}

export interface VerifyOptions {
  /** Key ids; absent: the reader has said nothing of keys. */
  trusted?: ReadonlySet<string>;
  /** Only this line, from 1. */
  line?: number;
  /** A partial verdict is no failure. */
  partial?: boolean;
  /** The oldest checkpoint that may be: its sequence number, or its digest or that of the one it replaced. */
  atLeast?: number | string;
  expect?: Expected;
  atHand?: AtHand;
}

export interface VerifyResult {
  verified: boolean;
  /** Lines looked at, checkpoints apart. */
  lines: number;
  /** What they are, by the first of them that could be read; null: none could. */
  kind: JudgedKind | null;
  /** Key ids of lines whose signature is good, each once. */
  keys: string[];
  /** Whether each of them is among the trusted ones. */
  trusted: boolean;
  /** By line. */
  failures: Failure[];
  notEstablished: string[];
  /** What the checkpoint says, where it was read. */
  verdict: CheckpointPredicate['verdict'] | null;
  sequence: number | null;
  /** SHA-256 of the checkpoint line. */
  checkpoint: string | null;
  /** The file that it is about (adapter; of a probe loadline.json): what its last line names. */
  subject: { name: string; sha256: string } | null;
}

/** Verifies a file's bytes. Never throws for what they hold. */
export async function verifyBytes(bytes: Uint8Array, options: VerifyOptions = {}): Promise<VerifyResult> {
  if (bytes.length > FILE_BYTES)
    return wholeFile('form', `The file is longer than ${FILE_BYTES} bytes.`, options);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return wholeFile('form', 'The file is not UTF-8.', options);
  }
  return verifyText(text, options);
}

/** Verifies a file's text. Never throws for what it holds. */
export async function verifyText(text: string, options: VerifyOptions = {}): Promise<VerifyResult> {
  if (text.length > FILE_BYTES)
    return wholeFile('form', `The file is longer than ${FILE_BYTES} bytes.`, options);
  if (!text.endsWith('\n')) return wholeFile('form', 'The file does not end with a line feed.', options);
  const texts = text.slice(0, -1).split('\n', MOST_LINES + 1);
  if (texts.length > MOST_LINES)
    return wholeFile('form', `The file has more than ${MOST_LINES} lines.`, options);
  return options.line === undefined
    ? verifyFile(texts, options)
    : verifyOneLine(texts, options.line, options);
}

async function verifyFile(texts: readonly string[], options: VerifyOptions): Promise<VerifyResult> {
  const failures: Failure[] = [];
  const lines: FileLine[] = [];
  const keys = new MetKeys();
  for (let from = 0; from < texts.length; from += AT_ONCE) {
    const batch = texts.slice(from, from + AT_ONCE);
    const checks = batch.map((text, index) =>
      checkedLine(text, from + index + 1, { ...options, keys }, failures),
    );
    lines.push(...(await Promise.all(checks)));
  }
  const number = lines.length;
  const last = lines.at(-1);
  if (last?.kind === 'checkpoint') {
    const before = lines.slice(0, -1);
    failures.push(...sealFailures({ checkpoint: last.line, kid: last.kid, number, lines: before }));
    failures.push(...demandFailures(last, number, options));
  } else if (last !== undefined && last !== null) {
    failures.push({ line: number, kind: 'missing', text: 'The file does not end with a checkpoint.' });
  }
  await addStale(lines, options, failures);
  return resultOf(lines, failures, options);
}

async function verifyOneLine(
  texts: readonly string[],
  number: number,
  options: VerifyOptions,
): Promise<VerifyResult> {
  const text = texts[number - 1];
  if (text === undefined) {
    const missing = `The file has ${texts.length} lines, and no line ${number}.`;
    return resultOf([], [{ line: number, kind: 'missing', text: missing }], options);
  }
  const failures: Failure[] = [];
  const line = await checkedLine(text, number, { ...options, keys: new MetKeys() }, failures);
  await addStale([line], options, failures, number);
  return resultOf([line], failures, options);
}

/** A line on its own: form, signature, key, verdict, expected inputs. Null where form or signature fail. */
async function checkedLine(
  text: string,
  number: number,
  options: VerifyOptions & { keys: MetKeys },
  failures: Failure[],
): Promise<FileLine> {
  const note = (error: unknown): void => {
    if (!(error instanceof Refused)) throw error;
    failures.push({ line: number, kind: error.kind, text: error.message });
  };
  let line: ReadLine;
  try {
    line = await readLine(text, options.keys);
  } catch (error) {
    note(error);
    return null;
  }
  if (options.trusted?.has(line.kid) === false)
    note(new Refused('key', `The key ${line.kid} is not among the trusted ones.`));
  if (line.kind === 'checkpoint') return line;
  const { statement } = line.line;
  await rulesOfKind(line.kind).requireFollows(statement).catch(note);
  const unexpected = options.expect ? unexpectedInput(statement.predicate.inputs, options.expect) : null;
  if (unexpected !== null) note(new Refused('expect', `The ${unexpected} is not the one that is expected.`));
  return line;
}

/** What the reader asks of a checkpoint. */
function demandFailures(
  { line, digest }: Extract<ReadLine, { kind: 'checkpoint' }>,
  number: number,
  { partial, atLeast }: VerifyOptions,
): Failure[] {
  const { verdict, sequence, previous } = line.statement.predicate;
  const failures: Failure[] = [];
  if (verdict === 'partial' && partial !== true) {
    const text = 'Not every scenario of the contract has a verdict under the same inputs and environment.';
    failures.push({ line: number, kind: 'partial', text });
  }
  if (typeof atLeast === 'number' && sequence < atLeast) {
    const text = `The checkpoint has number ${sequence}, and ${atLeast} is the least that may be.`;
    failures.push({ line: number, kind: 'older', text });
  }
  if (typeof atLeast === 'string' && atLeast !== digest && atLeast !== previous) {
    const text = 'The checkpoint is neither the one of that digest nor the one that replaced it.';
    failures.push({ line: number, kind: 'older', text });
  }
  return failures;
}

interface Compared {
  name: string;
  bytes: AtHand[keyof AtHand];
  /** What a line says of it; null: nothing. */
  digest(line: JudgedLine): string | null;
}

type JudgedLine = Extract<ReadLine, { kind: JudgedKind }>;

function isJudged(line: FileLine | undefined): line is JudgedLine {
  return line !== null && line !== undefined && line.kind !== 'checkpoint';
}

/** Each file at hand is compared once with each digest that lines name; said at the first line that differs. */
async function addStale(
  lines: readonly FileLine[],
  { atHand = {} }: VerifyOptions,
  failures: Failure[],
  firstNumber = 1,
): Promise<void> {
  const input = (name: 'document' | 'grant' | 'config', text: string): Compared => ({
    name: text,
    digest: ({ line }) => (line.statement satisfies JudgedStatement).predicate.inputs[name],
    bytes: atHand[name],
  });
  const adapter = ({ kind, line }: JudgedLine) =>
    rulesOfKind(kind).aboutAdapter ? line.statement.subject[0].digest.sha256 : null;
  const compared: Compared[] = [
    { name: 'adapter', digest: adapter, bytes: atHand.adapter },
    input('document', 'vendor document'),
    input('grant', 'grant'),
    input('config', 'loadline.json'),
  ];
  for (const { name, digest, bytes } of compared) {
    if (bytes === undefined) continue;
    const now = await sha256(bytes);
    const said = lines.map((line) => (isJudged(line) ? digest(line) : null));
    const index = said.findIndex((each) => each !== null && each !== now);
    const other = said[index] ?? null;
    if (other === null) continue;
    const endings = await differsInLineEndings(bytes, other);
    const text = `The ${name} has changed since${endings ? ': only its line endings differ' : ''}.`;
    failures.push({ line: index + firstNumber, kind: 'stale', text });
  }
}

async function differsInLineEndings(bytes: Uint8Array<ArrayBuffer>, judged: string): Promise<boolean> {
  const lf = withLf(bytes);
  return (await sha256(lf)) === judged || (await sha256(withCrLf(lf))) === judged;
}

const CR = 13;
const LF = 10;

function withLf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.filter((byte, index) => byte !== CR || bytes[index + 1] !== LF);
}

function withCrLf(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const ends = bytes.filter((byte) => byte === LF).length;
  const longer = new Uint8Array(bytes.length + ends);
  let at = 0;
  for (const byte of bytes) {
    if (byte === LF) longer[at++] = CR;
    longer[at++] = byte;
  }
  return longer;
}

function wholeFile(kind: FailureKind, text: string, options: VerifyOptions): VerifyResult {
  return resultOf([], [{ line: 0, kind, text }], options);
}

function resultOf(lines: readonly FileLine[], failures: Failure[], options: VerifyOptions): VerifyResult {
  const read = lines.filter((line) => line !== null);
  const keys = [...new Set(read.map(({ kid }) => kid))];
  const trusted =
    options.trusted !== undefined && keys.length > 0 && keys.every((kid) => options.trusted?.has(kid));
  const last = read.at(-1);
  const checkpoint = last?.kind === 'checkpoint' ? last : null;
  const predicate = checkpoint?.line.statement.predicate;
  const subject = last?.line.statement.subject[0];
  const judged = read.filter(isJudged);
  const kind = judged[0]?.kind ?? null;
  const rules = rulesOfKind(kind ?? 'verdict');
  return {
    verified: failures.length === 0,
    lines: judged.length,
    kind,
    keys,
    trusted,
    failures: failures.sort((a, b) => a.line - b.line),
    notEstablished: leftOpen({
      trusted,
      atLeast: options.atLeast !== undefined,
      ofItsKind: rules.notEstablished,
      adapterAtHand: !rules.aboutAdapter || options.atHand?.adapter !== undefined,
      line: options.line ?? null,
    }),
    verdict: predicate?.verdict ?? null,
    sequence: predicate?.sequence ?? null,
    checkpoint: checkpoint?.digest ?? null,
    subject: subject === undefined ? null : { name: subject.name, sha256: subject.digest.sha256 },
  };
}
