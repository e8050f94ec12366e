/** Removes what earlier processes of this owner left: a killed editor, a killed server, an engine that came back. */
import { remove } from './container.ts';
import type { Engine } from './engine.ts';
import { expiryOf, isOrphan, OWNER } from './labels.ts';

/**
 * Removes the owner's containers whose process is gone or whose expiry has passed by the engine's clock, asked now.
 * Returns how many. Containers of another owner, and those without a readable expiry, are left alone.
 */
export async function sweep(engine: Engine, owner: string): Promise<number> {
  const info: { SystemTime?: string } = await engine.docker.info();
  const now = Date.parse(info.SystemTime ?? '');
  return removeWhere(engine, owner, (labels) => {
    const expiry = expiryOf(labels);
    return expiry !== undefined && (expiry <= now || isOrphan(labels));
  });
}

/** Removes every container of the owner, expired or not. */
export function removeOwned(engine: Engine, owner: string): Promise<number> {
  return removeWhere(engine, owner, () => true);
}

/** Containers of the owner that exist, running or not. */
export async function countOwned(engine: Engine, owner: string): Promise<number> {
  return (await listOwned(engine, owner)).length;
}

function listOwned(engine: Engine, owner: string) {
  return engine.docker.listContainers({ all: true, filters: { label: [`${OWNER}=${owner}`] } });
}

async function removeWhere(
  engine: Engine,
  owner: string,
  choose: (labels: Record<string, string>) => boolean,
): Promise<number> {
  const chosen = (await listOwned(engine, owner)).filter((container) => choose(container.Labels));
  await Promise.all(chosen.map(({ Id }) => remove(engine.docker.getContainer(Id))));
  return chosen.length;
}
