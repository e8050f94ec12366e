/** docs/sandbox.md lists what the profile allows and what it refuses; both lists have to be true. */
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect, it } from 'vitest';

interface Rule {
  names: string[];
  action: string;
  errnoRet?: number;
  args?: { index: number; value: number; valueTwo?: number; op: string }[];
}

const root = path.resolve(import.meta.dirname, '../../..');
const profile: { defaultAction: string; syscalls: Rule[] } = JSON.parse(
  readFileSync(path.join(root, 'sandbox-images/seccomp.json'), 'utf8'),
);

/** First cells of the rows of the table whose header starts with `first`. */
function table(first: string): string[] {
  const page = readFileSync(path.join(root, 'docs/sandbox.md'), 'utf8');
  const rows =
    page
      .slice(page.search(new RegExp(`^\\| ${first} +\\|`, 'm')))
      .trimStart()
      .split('\n\n')[0]
      ?.split('\n')
      .slice(2) ?? [];
  return rows.map((row) => row.split('|')[1]?.trim() ?? '');
}

const words = (cell: string) => [...cell.matchAll(/`([a-z0-9_]+)`/g)].map((match) => match[1] ?? '');

it('refuses what it does not allow', () => {
  expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
});

it('allows without condition exactly what the page lists', () => {
  const cells = table('allowed').filter((cell) => !cell.includes(' with '));
  const free = profile.syscalls.filter((rule) => rule.action === 'SCMP_ACT_ALLOW' && rule.args === undefined);
  expect(free.flatMap((rule) => rule.names).sort()).toEqual(cells.flatMap(words).sort());
});

it('allows under a condition exactly what the page lists', () => {
  const conditions = profile.syscalls
    .filter((rule) => rule.args !== undefined)
    .map(({ names, action, args }) => [
      names.join(' '),
      action,
      ...(args ?? []).map(({ index, op, value }) => [index, op, value]),
    ]);
  expect(conditions).toEqual([
    ['clone', 'SCMP_ACT_ALLOW', [0, 'SCMP_CMP_MASKED_EQ', 0x10000]],
    ['prctl', 'SCMP_ACT_ALLOW', [0, 'SCMP_CMP_EQ', 15]],
    ['prctl', 'SCMP_ACT_ALLOW', [0, 'SCMP_CMP_EQ', 0x53564d41]],
    ['ioctl', 'SCMP_ACT_ALLOW', [1, 'SCMP_CMP_EQ', 0x5401]],
    ['ioctl', 'SCMP_ACT_ALLOW', [1, 'SCMP_CMP_EQ', 0x5413]],
    ['ioctl', 'SCMP_ACT_ALLOW', [1, 'SCMP_CMP_EQ', 0x5421]],
    ['ioctl', 'SCMP_ACT_ALLOW', [1, 'SCMP_CMP_EQ', 0x5451]],
  ]);
  const cells = table('allowed').filter((cell) => cell.includes(' with '));
  expect(cells.flatMap(words)).toEqual(['clone', 'ioctl', 'prctl']);
});

it('refuses everything that the page says it refuses', () => {
  const refused = table('refused').flatMap(words);
  expect(refused).toContain('ptrace');
  const allowed = new Set(
    profile.syscalls.filter((rule) => rule.action === 'SCMP_ACT_ALLOW').flatMap((rule) => rule.names),
  );
  expect(refused.filter((name) => allowed.has(name))).toEqual([]);
});

it('answers clone3 as absent', () => {
  const others = profile.syscalls.filter((rule) => rule.action !== 'SCMP_ACT_ALLOW');
  expect(others).toMatchObject([{ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 }]);
});
