import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adapterSource } from '../../../server/src/runner/adapterSource.ts';
import { ADAPTER_BYTES } from '../../../server/src/workspace/adapterFile.ts';

let folder: string;
let outside: string;

beforeAll(() => {
  const base = mkdtempSync(join(tmpdir(), 'loadline-adapter-'));
  folder = join(base, 'project');
  outside = join(base, 'outside.js');
  mkdirSync(folder);
  writeFileSync(outside, 'module.exports = {};');
});

afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const read = (name: string) => adapterSource({ kind: 'file', folder, path: join(folder, name) });

test('the bytes are hashed and handed on as they are: a byte-order mark and CRLF stay', async () => {
  writeFileSync(join(folder, 'a.js'), '\uFEFFmodule.exports = {};\r\n');
  expect(await read('a.js')).toEqual({
    text: '\uFEFFmodule.exports = {};\r\n',
    sha256: 'fe9feddf5470258826f62b22ddeec12bbdaf117fbce2421dba83957553c378a8',
    fileName: 'a.js',
  });
});

test('a link out of the folder is refused, one inside it is followed', async () => {
  symlinkSync(outside, join(folder, 'out.js'));
  symlinkSync(join(folder, 'a.js'), join(folder, 'in.js'));
  await expect(read('out.js')).rejects.toThrow(/leads out of .*project/);
  expect((await read('in.js')).fileName).toBe('in.js');
});

test('what is no readable text file is refused with its reason', async () => {
  writeFileSync(join(folder, 'latin1.js'), Buffer.from([0x2f, 0x2f, 0xe9]));
  writeFileSync(join(folder, 'big.js'), Buffer.alloc(ADAPTER_BYTES + 1, 0x20));
  writeFileSync(join(folder, 'full.js'), Buffer.alloc(ADAPTER_BYTES, 0x20));
  mkdirSync(join(folder, 'dir.js'));
  execFileSync('mkfifo', [join(folder, 'pipe.js')]);
  await expect(read('latin1.js')).rejects.toThrow('not valid UTF-8');
  await expect(read('big.js')).rejects.toThrow('larger than 1 MiB');
  expect((await read('full.js')).text).toHaveLength(ADAPTER_BYTES);
  await expect(read('dir.js')).rejects.toThrow('is no regular file');
  await expect(read('pipe.js')).rejects.toThrow('is no regular file');
  await expect(read('none.js')).rejects.toThrow('does not exist');
});
