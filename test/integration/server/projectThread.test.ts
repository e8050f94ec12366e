/** The thread that reads projects: there while it is asked, gone when it is not, and back with the next question. */
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { ProjectThread } from '../../../server/src/session/projectThread.ts';
import { exampleFolder, root } from '../../support/loadline.ts';

const logged: string[] = [];
let thread: ProjectThread;

afterEach(() => thread.dispose());

test('a thread that is not asked any more ends without a word, and the next question has another', async () => {
  thread = new ProjectThread(join(root, 'dist/projectWorker.js'), (text) => logged.push(text), 50);
  const [first, beside] = await Promise.all([thread.read(exampleFolder, {}), thread.read(exampleFolder, {})]);
  expect(first.surface?.operations.length).toBe(8);
  expect(beside.surface?.digests).toEqual(first.surface?.digests);
  expect(thread.isAwake).toBe(true);
  await vi.waitUntil(() => !thread.isAwake);
  const again = await thread.read(exampleFolder, {});
  expect(again.surface?.digests).toEqual(first.surface?.digests);
  expect(thread.isAwake).toBe(true);
  expect(logged).toEqual([]);
});
