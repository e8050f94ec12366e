// Starts a container for the owner named on the command line, prints its id and is gone.
import { randomUUID } from 'node:crypto';
import { loadSource } from '../../../scripts/load-source.mjs';

const { connectEngine } = await loadSource('server/src/sandbox/engine.ts');
const { startGuest } = await loadSource('server/src/sandbox/container.ts');
const { SANDBOX_LIMITS } = await loadSource('server/src/sandbox/limits.ts');

const engine = await connectEngine();
const [image] = await engine.docker.listImages({ filters: { reference: ['loadline/guest'] } });
const { id } = await startGuest(engine, {
  imageId: image.Id,
  runtime: 'runc',
  runId: randomUUID(),
  owner: process.argv[2],
  limits: SANDBOX_LIMITS,
  expiresAt: engine.now() + 600_000,
  user: 61_000,
  seccomp: null,
});
process.stdout.write(JSON.stringify({ id }));
process.exit(0);
