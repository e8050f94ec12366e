/** Report files of `qualify`: `--junit FILE` and `--sarif FILE`. */
import { constants } from 'node:fs';
import { access, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { version } from '../../../package.json';
import { junitText } from '../../../shared/src/reports/junit.ts';
import { sarifText } from '../../../shared/src/reports/sarif.ts';
import type { QualifyResult } from '../../../shared/src/results.ts';
import { CannotDo } from './exit.ts';

/** Files to write, relative to the working directory. */
export interface ReportPaths {
  junit?: string;
  sarif?: string;
}

/**
 * Looks whether the files can be written, so that nobody waits for a qualification whose report has no place. Throws
 * CannotDo.
 */
export async function checkReports(paths: ReportPaths): Promise<void> {
  const { junit, sarif } = paths;
  if (junit !== undefined && sarif !== undefined && resolve(junit) === resolve(sarif))
    throw new CannotDo(`--junit and --sarif both name ${junit}; give each a file of its own.`);
  for (const [flag, file] of chosen(paths)) {
    const existing = await stat(file).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw refused(flag, file, error);
    });
    if (existing?.isDirectory()) throw refused(flag, file, { code: 'EISDIR' });
    await access(existing === undefined ? dirname(resolve(file)) : file, constants.W_OK).catch((error) => {
      throw refused(flag, file, error);
    });
  }
}

/** Writes the files that are asked for. Throws CannotDo. */
export async function writeReports(result: QualifyResult, paths: ReportPaths): Promise<void> {
  await checkReports(paths);
  const placed = {
    ...result,
    adapters: result.adapters.map((adapter) => ({ ...adapter, file: fileFromHere(adapter.file) })),
  };
  const texts = { junit: () => junitText(placed), sarif: () => sarifText(placed, { version }) };
  for (const [flag, file] of chosen(paths))
    await writeFile(file, texts[flag]()).catch(async (error: unknown) => {
      await dropPart(file);
      throw refused(flag, file, error);
    });
}

/** A report that was written in part is none. */
async function dropPart(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) await rm(file, { force: true }).catch(() => undefined);
}

function chosen({ junit, sarif }: ReportPaths): ['junit' | 'sarif', string][] {
  const all: ['junit' | 'sarif', string | undefined][] = [
    ['junit', junit],
    ['sarif', sarif],
  ];
  return all.flatMap(([flag, file]) => (file === undefined ? [] : [[flag, file]]));
}

/** Relative to the working directory with `/` where it lies inside, else absolute: what readers of reports resolve. */
function fileFromHere(file: string): string {
  const from = relative('', resolve(file));
  const outside = from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from);
  return outside ? resolve(file) : from.split(sep).join('/');
}

function refused(flag: string, file: string, error: unknown): CannotDo {
  return new CannotDo(`--${flag} ${file} cannot be written: ${whyNot(codeOf(error))}.`);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

function whyNot(code: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'its folder does not exist; make it first';
  if (code === 'EISDIR') return 'it is a folder; name a file in it';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return 'you may not write there; choose another file';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full; free some space and run again';
  return `the system says ${code}; choose another file`;
}
