/** `loadline merge`: one checked verdict file from those of several shards. */
import { join, resolve } from 'node:path';
import { trustedKeyIds } from '../../../shared/src/evidence/trust.ts';
import type { MergeAnswer } from '../../../shared/src/signerProtocol.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { NotSigned, SignerProcess } from '../runs/signerProcess.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import { jsonFrom } from './verify.ts';

export interface MergeFlags {
  out: string;
  /** File with a JWKS: lines of other keys are refused. */
  trusted?: string;
  /** Not every scenario has to be there, and environments may differ. */
  partial: boolean;
  json: boolean;
}

/** Exit 0: written. 1: a file does not verify, or they do not fit together. 2: it could not be done. */
export async function mergeCommand(files: string[], flags: MergeFlags): Promise<ExitCode> {
  const trusted = flags.trusted === undefined ? null : [...(await jsonFrom(flags.trusted, trustedKeyIds))];
  const signer = new SignerProcess(join(__dirname, 'signer.js'));
  // As people name them, by the paths that the signer is given.
  const names = new Map(files.map((file) => [resolve(file), file]));
  try {
    const answer = await signer.merge({
      files: [...names.keys()],
      target: resolve(flags.out),
      partial: flags.partial,
      ...(trusted === null ? {} : { trusted }),
    });
    return told(answer, names, flags);
  } catch (error) {
    if (error instanceof NotSigned) throw new CannotDo(error.message);
    throw error;
  } finally {
    await signer.stop();
  }
}

function told(answer: MergeAnswer, names: ReadonlyMap<string, string>, { out, json }: MergeFlags): ExitCode {
  if (!answer.merged && answer.failures.length === 0) throw new CannotDo(answer.reason);
  const failures = answer.merged
    ? []
    : answer.failures.map((failure) => ({ ...failure, file: names.get(failure.file) ?? failure.file }));
  if (json) {
    const { merged, ...rest } = answer;
    process.stdout.write(`${JSON.stringify({ file: out, merged, ...rest, failures })}\n`);
  } else if (answer.merged) {
    for (const note of answer.notes) process.stderr.write(`${terminalText(note, NOTE_WIDTH)}\n`);
    process.stdout.write(
      `${terminalText(out)}: ${answer.lines} verdict lines from ${names.size} files; it says ${answer.verdict}\n`,
    );
  } else {
    const lines = failures.map(({ file, line, kind, text }) => {
      const place = file === '' ? '' : `${terminalText(file)}${line === 0 ? '' : `, line ${line}`}: `;
      return `  x ${place}${kind}: ${terminalText(text, NOTE_WIDTH)}\n`;
    });
    process.stdout.write(`${terminalText(out)}: NOT MERGED. ${answer.reason}\n${lines.join('')}`);
  }
  if (answer.merged) return EXIT.ok;
  return failures.every(({ kind }) => kind === 'version') ? EXIT.notDone : EXIT.broken;
}

/** More than any sentence of ours with two places in it. */
const NOTE_WIDTH = 1000;
