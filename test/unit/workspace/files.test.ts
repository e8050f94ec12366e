import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileRefused } from '../../../server/src/openapi/files.ts';
import { ConfinedFiles, FILE_LIMITS } from '../../../server/src/workspace/files.ts';
import { folderWith } from './folder.ts';

function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof FileRefused) return `${error.reason}: ${error.message}`;
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('the confined file resolver', () => {
  it('reads a file once, by one name, with its digest', () => {
    const folder = folderWith({ 'a/b.yaml': '\ufeffx: ä\n' });
    const files = new ConfinedFiles(folder);
    const first = files.readFile('a/b.yaml');
    expect(first).toMatchObject({
      source: { file: 'a/b.yaml', text: 'x: ä\n' },
      bytes: 9,
      sha256: createHash('sha256').update('\ufeffx: ä\n').digest('hex'),
    });
    writeFileSync(join(folder, 'a/b.yaml'), 'changed');
    expect(files.readFile('./a/../a/b.yaml')).toBe(first);
    expect([...files.filesRead().keys()]).toEqual(['a/b.yaml']);
  });

  it.each(['../secret', 'a/../../secret', '/etc/passwd', '..', 'a\\b'])('refuses %s', (file) => {
    const files = new ConfinedFiles(folderWith({}));
    expect(refusal(() => files.read(file))).toBe(
      `outside: "${file}" is not a path inside the project folder, written with "/".`,
    );
  });

  it.each(['http://localhost/a.yaml', 'file:///etc/passwd', '//host/a', 'data:text/plain,x'])(
    'never fetches %s',
    (address) => {
      const files = new ConfinedFiles(folderWith({}));
      expect(refusal(() => files.read(address))).toBe(
        `outside: "${address}" is an address; only files of the project folder are read.`,
      );
    },
  );

  it('refuses links that lead out and follows those that stay inside', () => {
    const outside = folderWith({ 'secret.txt': 's', 'deep/secret.txt': 's' });
    const folder = folderWith({ 'real.txt': 'r' });
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'out.txt'));
    symlinkSync(join(outside, 'deep'), join(folder, 'dir'));
    symlinkSync('real.txt', join(folder, 'in.txt'));
    symlinkSync('loop.txt', join(folder, 'loop.txt'));
    const files = new ConfinedFiles(folder);
    expect(files.read('in.txt').text).toBe('r');
    expect(refusal(() => files.read('out.txt'))).toBe(
      'outside: "out.txt" is a link that leads out of the project folder; it is not read.',
    );
    expect(refusal(() => files.read('dir/secret.txt'))).toMatch(/^outside: /);
    expect(refusal(() => files.read('loop.txt'))).toBe(
      'unreadable: There is no file "loop.txt" in the project folder.',
    );
  });

  it('takes a folder that is itself a link for the folder it means', () => {
    const real = folderWith({ 'a.txt': 'a' });
    const link = join(folderWith({}), 'link');
    symlinkSync(real, link);
    const files = new ConfinedFiles(link);
    expect(files.folder).toBe(real);
    expect(files.read('a.txt').text).toBe('a');
  });

  it('reads regular files of UTF-8 only, and waits for none', () => {
    const folder = folderWith({
      'latin.txt': Buffer.from([0x66, 0xfc, 0x72]),
      'half.txt': Buffer.from([0xe2, 0x82]),
    });
    mkdirSync(join(folder, 'sub'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const files = new ConfinedFiles(folder);
    expect(refusal(() => files.read('latin.txt'))).toBe('unreadable: "latin.txt" is not valid UTF-8 text.');
    expect(refusal(() => files.read('half.txt'))).toBe('unreadable: "half.txt" is not valid UTF-8 text.');
    expect(refusal(() => files.read('sub'))).toBe('unreadable: "sub" is no regular file.');
    expect(refusal(() => files.read('pipe'))).toBe('unreadable: "pipe" is no regular file.');
    expect(refusal(() => files.read('none'))).toBe(
      'unreadable: There is no file "none" in the project folder.',
    );
    expect(refusal(() => files.read('.'))).toBe('unreadable: "." is no file.');
    expect(refusal(() => files.read('a\0b'))).toMatch(/^unreadable: /);
  });

  it('refuses a folder that is none', () => {
    const folder = folderWith({ 'a.txt': '' });
    expect(refusal(() => new ConfinedFiles(join(folder, 'a.txt')))).toMatch(
      /^unreadable: There is no folder /,
    );
    expect(refusal(() => new ConfinedFiles(join(folder, 'none')))).toMatch(
      /^unreadable: There is no folder /,
    );
  });

  it('has the limits of 20 MB and 200 files', () => {
    expect(FILE_LIMITS).toEqual({ bytes: 20_000_000, files: 200 });
  });

  it('reads a file of exactly the limit, and none that is a byte larger', () => {
    const folder = folderWith({ full: 'x'.repeat(1000), over: 'x'.repeat(1001) });
    const limits = { bytes: 1000, files: 200 };
    expect(new ConfinedFiles(folder, { limits }).readFile('full').bytes).toBe(1000);
    expect(refusal(() => new ConfinedFiles(folder, { limits }).read('over'))).toBe(
      'limit: "over" is not read: a file may have 0.001 MB at most.',
    );
  });

  it('counts all files together', () => {
    const folder = folderWith({ a: 'x'.repeat(600), b: 'x'.repeat(400), c: 'x' });
    const files = new ConfinedFiles(folder, { limits: { bytes: 1000, files: 200 } });
    files.read('a');
    files.read('b');
    files.read('a');
    expect(refusal(() => files.read('c'))).toBe(
      'limit: "c" is not read: all files of a project may have 0.001 MB together.',
    );
  });

  it('reads 200 files and not one more', () => {
    const names = Array.from({ length: 201 }, (_, i) => `f${i}`);
    const files = new ConfinedFiles(folderWith(Object.fromEntries(names.map((name) => [name, name]))));
    for (const name of names.slice(0, 200)) files.read(name);
    expect(refusal(() => files.read('f200'))).toBe(
      'limit: "f200" is not read: at most 200 files of a project are.',
    );
    expect(files.read('f0').text).toBe('f0');
  });

  it('takes unsaved text in place of a file, under the same limits', () => {
    const folder = folderWith({ 'a.txt': 'disk' });
    const files = new ConfinedFiles(folder, {
      overlay: new Map([
        ['a.txt', 'buffer'],
        ['new.txt', 'n'.repeat(2000)],
      ]),
      limits: { bytes: 1000, files: 9 },
    });
    expect(files.readFile('a.txt')).toMatchObject({ source: { text: 'buffer' }, bytes: 6 });
    expect(refusal(() => files.read('new.txt'))).toMatch(/^limit: /);
  });
});
