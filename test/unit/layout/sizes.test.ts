import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const LINES = 400;

test(`source files stay under about ${LINES} lines`, () => {
  const long = ['client/src', 'server/src', 'shared/src', 'sandbox-images/guest', 'scripts'].flatMap(
    (folder) =>
      readdirSync(root + folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
        .map((entry) => `${entry.parentPath}/${entry.name}`)
        .map((path) => ({
          path: path.slice(root.length),
          lines: readFileSync(path, 'utf8').split('\n').length,
        }))
        .filter(({ lines }) => lines > LINES + 10),
  );
  expect(long).toEqual([]);
});
