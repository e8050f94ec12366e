import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGuest } from '../../../server/src/sandbox/container.ts';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import { countOwned, removeOwned, sweep } from '../../../server/src/sandbox/sweep.ts';
import { specFor, testOwner } from './support.ts';

const [ours, theirs] = [testOwner(), testOwner()];
let engine: Engine;

beforeAll(async () => {
  engine = await connectEngine();
});

afterAll(async () => {
  await Promise.all([removeOwned(engine, ours), removeOwned(engine, theirs)]);
  expect([await countOwned(engine, ours), await countOwned(engine, theirs)]).toEqual([0, 0]);
  engine.close();
});

it('removes what a process left that is gone, though it has not expired', async () => {
  const support = new URL('./orphan.mjs', import.meta.url);
  const left = JSON.parse(
    execFileSync(process.execPath, [fileURLToPath(support), ours], { encoding: 'utf8' }),
  );
  const listed = await engine.docker.listContainers({
    all: true,
    filters: { label: [`loadline.owner=${ours}`] },
  });
  expect(listed.map(({ Id }) => Id)).toEqual([left.id]);
  expect(await sweep(engine, ours)).toBe(1);
});

it('removes what has expired and is ours, running or not, and nothing else', async () => {
  const start = async (owner: string, lifetimeMs: number) => {
    const spec = await specFor(engine, 'runc', owner);
    return startGuest(engine, { ...spec, expiresAt: engine.now() + lifetimeMs });
  };
  const [expired, ended, live, stranger] = [
    await start(ours, -1000),
    await start(ours, -1000),
    await start(ours, 60_000),
    await start(theirs, 60_000),
  ];
  ended.stdin.end();
  await ended.exited;
  expect(await sweep(engine, ours)).toBe(2);
  const left = await engine.docker.listContainers({ all: true, filters: { label: ['loadline.owner'] } });
  const ids = left.map(({ Id }) => Id);
  expect([expired, ended, live, stranger].map(({ id }) => ids.includes(id))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(await sweep(engine, ours)).toBe(0);
});
