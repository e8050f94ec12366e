/**
 * Entry of the probe's container: stands where the guest stands and does what hostile code would do that has left the
 * adapter's realm. What to do comes as the text of the adapter. Its reports are claims; the host judges.
 */
import type { Json, JsonObject } from '../../shared/src/json.ts';
import { HELPER_NAME, type ProbeTask } from '../../shared/src/probe.ts';
import { answer } from './attempt.ts';
import { forge } from './frames.ts';
import { hostAttempts } from './host.ts';
import { bomb, takeMemory } from './limits.ts';
import { networkAttempts } from './network.ts';
import { searchSecrets } from './secrets.ts';
import { type Asked, Wire } from './wire.ts';

const wire = new Wire();
let task: ProbeTask;

const NETWORK_MS = 3_000;
const HOST_MS = 10_000;

/** The helper takes this process's place and answers this step, and those that follow, itself. */
function becomeHelper(id: number, step: number, name: string): never {
  const execve = (process as unknown as { execve: (file: string, args: string[], env: object) => never })
    .execve;
  return execve(`/loadline/${HELPER_NAME}`, [HELPER_NAME, String(id), String(step), name], {});
}

/** What one step does. Attempts have an argument each; without one, they are to be named. */
async function work(id: number, step: number, argument: Json | undefined): Promise<Json> {
  const name = typeof argument === 'string' ? argument : undefined;
  switch (task.mode) {
    case 'calls':
      return wire.request('call', { headers: {}, ...(argument as JsonObject), at: 0 });
    case 'frame':
      forge(task.name, wire, id);
      return new Promise(() => undefined);
    case 'network':
      return answer(networkAttempts(task.targets), name, NETWORK_MS);
    case 'host':
      return answer(hostAttempts(task.targets), name, HOST_MS);
    case 'secrets':
      return searchSecrets(wire.history, name);
    case 'syscalls':
      return becomeHelper(id, step, name ?? '');
    case 'memory':
      return takeMemory(task.bytes);
    case 'processes':
      return bomb(task.count);
  }
}

function argumentOf({ invocations }: JsonObject): Json | undefined {
  const [{ args } = { args: [] }] = invocations as { args: Json[] }[];
  return args[0];
}

// A refusal that comes late, out of some library, must not end what is left to try.
process.on('uncaughtException', (error) => process.stderr.write(`${error.stack}\n`));
wire.listen(({ id, method, params }: Asked) => {
  if (method === 'load') {
    task = JSON.parse(String(params.adapter));
    wire.answer(id, { loaded: true, exports: ['probe'], missing: [] });
  } else if (method === 'step') {
    const step = Number(params.step);
    const done = (value: Json) => {
      wire.send({
        method: 'settled',
        params: { step, invocation: 0, result: { kind: 'returned', value }, at: 0 },
      });
      wire.answer(id, null);
    };
    const failed = (error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    };
    Promise.resolve()
      .then(() => work(id, step, argumentOf(params)))
      .then(done, failed);
  }
});
