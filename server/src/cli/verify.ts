/** `loadline verify`: offline, no engine, no editor. */
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Unjudgeable } from '../../../shared/src/contracts/shape.ts';
import { isDigest } from '../../../shared/src/evidence/digest.ts';
import { expectedOf, trustedKeyIds } from '../../../shared/src/evidence/trust.ts';
import {
  FILE_BYTES,
  type VerifyOptions,
  type VerifyResult,
  verifyBytes,
} from '../../../shared/src/evidence/verify.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { filesAtHand } from './atHand.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';

export interface VerifyFlags {
  /** File with a JWKS. */
  trusted?: string;
  line?: number;
  adapter?: string;
  partial: boolean;
  /** A sequence number or the digest of a checkpoint. */
  atLeast?: string;
  /** File with the digests that are expected. */
  expect?: string;
  json: boolean;
}

/** Exit 0: verified. 1: a check failed. 2: the rules are not known here, and nothing else is wrong. */
export async function verifyCommand(file: string, flags: VerifyFlags): Promise<ExitCode> {
  const options = await optionsOf(flags);
  const bytes = await bytesOf(file, FILE_BYTES);
  const { atHand, notes } = filesAtHand(resolve(file), flags.adapter);
  const result = await verifyBytes(bytes, { ...options, atHand });
  print(file, result, notes, flags);
  if (result.verified) return EXIT.ok;
  return result.failures.every(({ kind }) => kind === 'version') ? EXIT.notDone : EXIT.broken;
}

async function optionsOf(flags: VerifyFlags): Promise<VerifyOptions> {
  const { line, partial, atLeast } = flags;
  if (line === 0) throw new CannotDo('--line takes a whole number from 1.');
  return {
    partial,
    ...(line === undefined ? {} : { line }),
    ...(atLeast === undefined ? {} : { atLeast: leastOf(atLeast) }),
    ...(flags.trusted === undefined ? {} : { trusted: await jsonFrom(flags.trusted, trustedKeyIds) }),
    ...(flags.expect === undefined ? {} : { expect: await jsonFrom(flags.expect, expectedOf) }),
  };
}

function leastOf(text: string): number | string {
  if (isDigest(text)) return text;
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number === 0)
    throw new CannotDo(
      '--at-least takes a sequence number from 1 or the SHA-256 of a checkpoint line in hex.',
    );
  return number;
}

/** What a JSON file holds, as `read` takes it. Throws CannotDo. */
export async function jsonFrom<T>(file: string, read: (value: unknown) => T | Promise<T>): Promise<T> {
  const bytes = await bytesOf(file, 1024 * 1024);
  try {
    return await read(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    if (error instanceof Unjudgeable) throw new CannotDo(`${file}: ${error.message}`);
    throw new CannotDo(`${file} is not JSON.`);
  }
}

/** Only a regular file: a pipe or device would keep a check waiting. */
async function bytesOf(file: string, most: number): Promise<Buffer<ArrayBuffer>> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new CannotDo(`${file} is no regular file.`);
    if (found.size > most) throw new CannotDo(`${file} is larger than ${most} bytes.`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof CannotDo) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CannotDo(code === 'ENOENT' ? `${file} does not exist.` : `${file} cannot be read (${code}).`);
  }
}

function print(file: string, result: VerifyResult, notes: string[], flags: VerifyFlags): void {
  const notEstablished = [...result.notEstablished, ...notes];
  const text = flags.json
    ? JSON.stringify({ file, ...result, notEstablished })
    : [headline(file, result), ...details(result, flags, notEstablished)].join('\n');
  process.stdout.write(`${text}\n`);
}

function headline(file: string, { verified, lines, kind, verdict, subject, sequence }: VerifyResult): string {
  const about = subject === null ? '' : ` about ${terminalText(subject.name)}`;
  const said = verdict === null ? '' : `; it says ${verdict} (checkpoint ${sequence})`;
  const count = `${lines} ${kind ?? 'verdict'} ${lines === 1 ? 'line' : 'lines'}${about}`;
  return `${terminalText(basename(file))}: ${verified ? 'verified' : 'NOT VERIFIED'}, ${count}${said}`;
}

function details(result: VerifyResult, flags: VerifyFlags, notEstablished: string[]): string[] {
  const trust = flags.trusted === undefined ? 'no trusted keys were named' : 'not all trusted';
  return [
    ...result.failures.map(({ line, kind, text }) => {
      const place = line === 0 ? 'file' : `line ${line}`;
      return `  x ${place}: ${kind}: ${terminalText(text)}`;
    }),
    ...result.keys.map((kid) => `  key ${terminalText(kid)} (${result.trusted ? 'trusted' : trust})`),
    ...(result.checkpoint === null ? [] : [`  checkpoint sha256 ${result.checkpoint}`]),
    ...(result.failures.length > 0
      ? []
      : ['  established: the bytes are as signed, and each verdict follows from its evidence by its rules']),
    '  not established:',
    ...notEstablished.map((text) => `  - ${terminalText(text)}`),
  ];
}
