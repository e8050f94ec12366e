// `npm run screenshots`: walks the way of the README in a real editor and puts its pictures into docs/images.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { log, root, run } from './lib/setup.mjs';

const PICTURES = join(root, 'test/e2e/.artifacts/tour');
const IMAGES = join(root, 'docs/images');

run('node', ['scripts/test.mjs', '--project', 'e2e', 'test/e2e/tour.test.ts']);
mkdirSync(IMAGES, { recursive: true });
const pictures = readdirSync(PICTURES).filter((name) => name.endsWith('.png'));
for (const name of pictures) copyFileSync(join(PICTURES, name), join(IMAGES, name));
log(`Written: ${pictures.length} pictures in docs/images`);
