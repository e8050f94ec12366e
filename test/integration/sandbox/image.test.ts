import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGuest } from '../../../server/src/sandbox/container.ts';
import { connectEngine, type Engine } from '../../../server/src/sandbox/engine.ts';
import { ensureGuestImage } from '../../../server/src/sandbox/image.ts';
import { countOwned, removeOwned } from '../../../server/src/sandbox/sweep.ts';
import { engineProxy, IMAGES_FOLDER, specFor, temporaryFolder, testOwner } from './support.ts';

const owner = testOwner();
const dockerfile = readFileSync(path.join(IMAGES_FOLDER, 'Dockerfile'), 'utf8');
const folder = temporaryFolder();
const built: string[] = [];
let engine: Engine;

/** A guest that no other test has an image of. */
function newGuest() {
  const word = randomUUID();
  return { word, guestScript: Buffer.from(`console.log('${word}')`) };
}

beforeAll(async () => {
  engine = await connectEngine();
});

afterAll(async () => {
  await removeOwned(engine, owner);
  for (const id of built) await engine.docker.getImage(id).remove({ force: true });
  expect(await countOwned(engine, owner)).toBe(0);
  engine.close();
  folder.remove();
});

async function output(imageId: string): Promise<string> {
  const guest = await startGuest(engine, { ...(await specFor(engine, 'runc', owner)), imageId });
  const out = await text(guest.stdout);
  await guest.kill();
  return out;
}

describe('the guest image', () => {
  it('is built once and carries the guest', async () => {
    const { word, guestScript } = newGuest();
    const said: string[] = [];
    const options = { guestScript, dockerfile, onProgress: (line: string) => said.push(line) };
    const first = await ensureGuestImage(engine, options);
    built.push(first.id);
    expect(await ensureGuestImage(engine, options)).toEqual(first);
    expect(said).toEqual(['Building the guest image']);
    expect(first.id).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(first.baseId).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await output(first.id)).toBe(`${word}\n`);
  });

  it('is committed where the engine refuses to build', async () => {
    const proxy = await engineProxy(folder.path);
    let under: Promise<number> | undefined;
    const owner = testOwner();
    proxy.before = ({ path }) => {
      if (path.endsWith('/archive')) under = countOwned(engine, owner);
      return path.endsWith('/build')
        ? { status: 500, body: { message: 'the classic builder is gone' } }
        : undefined;
    };
    const behind = await connectEngine({ host: proxy.host });
    const { word, guestScript } = newGuest();
    const image = await ensureGuestImage(behind, { guestScript, dockerfile, owner });
    built.push(image.id);
    behind.close();
    await proxy.close();
    expect(proxy.requests.filter((request) => request.path.endsWith('/commit'))).toHaveLength(1);
    // A sweep can see the container that is committed.
    expect([await under, await countOwned(engine, owner)]).toEqual([1, 0]);
    expect(await output(image.id)).toBe(`${word}\n`);
    const left = await engine.docker.listContainers({ all: true, filters: { ancestor: [image.baseId] } });
    expect(left.filter(({ State }) => State === 'created')).toEqual([]);
  });

  it('says both reasons where it can be neither built nor committed', async () => {
    const proxy = await engineProxy(folder.path);
    proxy.before = (request) =>
      /\/(build|commit)$/.test(request.path)
        ? { status: 500, body: { message: `no ${request.path}` } }
        : undefined;
    const behind = await connectEngine({ host: proxy.host });
    await expect(ensureGuestImage(behind, { ...newGuest(), dockerfile })).rejects.toMatchObject({
      reason: 'image',
      message:
        "The guest image could not be built (no /build) nor committed (no /commit); check the engine's disk space and log.",
    });
    behind.close();
    await proxy.close();
  });

  it('is not built on a base that is not there, and nothing is pulled', async () => {
    const proxy = await engineProxy(folder.path);
    const behind = await connectEngine({ host: proxy.host });
    const baseImage = 'loadline-test/absent:1';
    await expect(ensureGuestImage(behind, { ...newGuest(), dockerfile, baseImage })).rejects.toMatchObject({
      name: 'NothingRan',
      reason: 'image',
      message: `The base image loadline-test/absent:1 is not on the engine at ${proxy.host}; fetch it with \`docker pull loadline-test/absent:1\` or change loadline.sandbox.baseImage.`,
    });
    behind.close();
    await proxy.close();
    expect(proxy.requests.map((request) => request.path)).toEqual([
      '/version',
      '/info',
      '/images/loadline-test/absent:1/json',
    ]);
  });
});
