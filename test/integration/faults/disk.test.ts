/** A disk that fills up under what the command line writes: said in a sentence, and nothing half written is left. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadline } from '../../support/loadline.ts';
import { adapterText } from '../../support/runner.ts';
import { person } from '../evidence/support.ts';
import { smallDisk } from './smallDisk.ts';

const disks: { remove(): void }[] = [];
afterEach(() => {
  for (const disk of disks.splice(0)) disk.remove();
});

/** A disk of 1 MiB. */
function disk(): string {
  const made = smallDisk(1024 * 1024);
  disks.push(made);
  return made.path;
}

/** Leaves room for the names of files alone. */
function fill(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize));
}

const RUN = ['qualify', '--scenario', 'nominal', '--jobs', '1'];

test.each(['junit', 'sarif'])('a report (%s) is there whole or not at all', async (kind) => {
  const { folder, env } = person();
  const place = disk();
  fill(place);
  const report = join(place, `report.${kind}`);
  const args = [...RUN, '--no-sign', `--${kind}`, report, 'adapter.js'];
  const { code, stderr } = await loadline(args, { cwd: folder, env });
  expect([code, existsSync(report)]).toEqual([2, false]);
  expect(stderr).toContain(
    `--${kind} ${report} cannot be written: the disk is full; free some space and run again.`,
  );
});

/** The project of a person on a small disk. */
function projectOn(place: string, from: string): string {
  const folder = join(place, 'project');
  mkdirSync(folder);
  for (const name of readdirSync(from)) cpSync(join(from, name), join(folder, name));
  return folder;
}

test('evidence with its bodies leaves no part of a file', async () => {
  const { folder: from, env } = person();
  const place = disk();
  const folder = projectOn(place, from);
  const bodies = join(folder, '.loadline/bodies');
  mkdirSync(bodies, { recursive: true });
  writeFileSync(join(bodies, '.gitignore'), '*\n');
  writeFileSync(join(bodies, 'adapter.js.jsonl'), 'old\n');
  fill(place);
  const args = [...RUN, '--no-sign', '--with-bodies', 'adapter.js'];
  const { code, stderr } = await loadline(args, { cwd: folder, env });
  expect([code, readdirSync(bodies)]).toEqual([2, ['.gitignore', 'adapter.js.jsonl']]);
  expect(readFileSync(join(bodies, 'adapter.js.jsonl'), 'utf8')).toBe('old\n');
  expect(stderr).toContain(`${bodies} cannot be written: ENOSPC`);
});

test('a verdict file that is to go to the history stays where it is', async () => {
  const { folder: from, env } = person();
  const place = disk();
  const folder = projectOn(place, from);
  const verdicts = join(folder, 'adapter.verdicts.jsonl');
  expect((await loadline([...RUN, 'adapter.js'], { cwd: folder, env })).code).toBe(0);
  const old = readFileSync(verdicts);
  writeFileSync(join(folder, 'adapter.js'), `${adapterText('adapter-v3.js')}\n`);
  fill(place);
  const { code, stderr } = await loadline([...RUN, 'adapter.js'], { cwd: folder, env });
  expect(code).toBe(2);
  expect(stderr).toContain('no verdict file is written for adapter.js: ');
  expect(stderr).toContain('the disk is full; free some space and run again.');
  expect(readFileSync(verdicts)).toEqual(old);
  expect(readdirSync(folder).filter((name) => /\.(tmp|lock)$/.test(name))).toEqual([]);
  const history = join(folder, '.loadline/history');
  expect(existsSync(history) ? readdirSync(history) : []).toEqual([]);
});
