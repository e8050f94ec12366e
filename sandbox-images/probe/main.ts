/**
 * Entry of the probe's container: stands where the guest stands and does what hostile code would do that has left the
 * adapter's realm. What to do comes as the text of the adapter. Its reports are claims; the host judges.
 */
import type { Json, JsonObject } from '../../shared/src/json.ts';
import {
  type ForgedCall,
  HELPER_NAME,
  type LookReport,
  type ProbeTask,
  type Tried,
} from '../../shared/src/probe.ts';
import { forge } from './frames.ts';
import { tryHost } from './host.ts';
import { bomb, takeMemory } from './limits.ts';
import { tryNetwork } from './network.ts';
import { searchSecrets } from './secrets.ts';
import { type Asked, Wire } from './wire.ts';

const wire = new Wire();
let task: ProbeTask;

async function sendCalls(calls: ForgedCall[]): Promise<Json> {
  const answers: Json[] = [];
  for (const call of calls)
    answers.push(await wire.request('call', { headers: {}, ...call, at: 0 } as JsonObject));
  return answers;
}

/** Reports are plain data: their types say so, but not in the words of `Json`. */
function claims(report: Tried[] | LookReport): Json {
  return report as unknown as Json;
}

/** The helper takes this process's place and answers the step itself. */
function becomeHelper(id: number, step: number): never {
  const execve = (process as unknown as { execve: (file: string, args: string[], env: object) => never })
    .execve;
  return execve(`/loadline/${HELPER_NAME}`, [HELPER_NAME, String(id), String(step)], {});
}

async function work(id: number, step: number): Promise<Json> {
  switch (task.mode) {
    case 'calls':
      return sendCalls(task.calls);
    case 'frame':
      forge(task.name, wire, id);
      return new Promise(() => undefined);
    case 'network':
      return claims(await tryNetwork(task.targets));
    case 'host':
      return claims(await tryHost(task.targets));
    case 'secrets':
      return claims(await searchSecrets(wire.history));
    case 'syscalls':
      return becomeHelper(id, step);
    case 'memory':
      return takeMemory(task.bytes);
    case 'processes':
      return bomb(task.count);
  }
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
      .then(() => work(id, step))
      .then(done, failed);
  }
});
