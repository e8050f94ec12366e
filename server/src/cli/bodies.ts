/** Evidence with its bodies and free texts, for who debugs: beside the project, unsigned, kept from git. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { AdapterResult } from '../../../shared/src/results.ts';
import { CannotDo } from './exit.ts';

/** Writes `.loadline/bodies/<adapter>.jsonl`, a line for each run that gave evidence. Throws CannotDo. */
export function keepBodies(folder: string, { file, sha256, runs }: AdapterResult): void {
  const place = join(folder, '.loadline', 'bodies');
  const name = relative(folder, resolve(file)).replaceAll(/[/\\]/g, '__');
  const lines = runs.flatMap(({ scenario, evidence }) =>
    evidence === undefined ? [] : [`${JSON.stringify({ adapter: sha256, scenario, evidence })}\n`],
  );
  try {
    mkdirSync(place, { recursive: true });
    const ignore = join(place, '.gitignore');
    if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
    replace(join(place, `${name}.jsonl`), lines.join(''));
  } catch (error) {
    throw new CannotDo(`${place} cannot be written: ${(error as Error).message}`);
  }
}

/** Leaves nothing behind where it fails. */
function replace(target: string, text: string): void {
  const made = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(made, text);
    renameSync(made, target);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
}
