/** A broker session on the runner's virtual clock, before a vendor that says what the test wants. */
import { createBrokerSession } from '../../../server/src/broker/session.ts';
import type { BrokerOptions, BrokerSession } from '../../../server/src/broker/types.ts';
import { VirtualClock } from '../../../server/src/runner/clock.ts';
import type { VendorOutcome, VendorRequest } from '../../../server/src/vendor/vendor.ts';
import type { CallParams, CallResult } from '../../../shared/src/guestProtocol.ts';
import type { Json } from '../../../shared/src/json.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import { operation, parameter, surface } from '../grant-match/surfaces.ts';

export const EPOCH = Date.UTC(2026, 0, 5, 12, 0, 0);
export const AUTHORIZATION = 'Bearer secret-token-of-this-very-run-0123456789';

export function answer(
  status: number,
  body: Json = {},
  headers: Record<string, string> = {},
  afterMs = 20,
): VendorOutcome {
  return { kind: 'answer', status, headers, body, afterMs };
}

export const order = {
  type: 'object',
  required: ['target'],
  additionalProperties: false,
  properties: { target: { $ref: '#/schemas/Point' }, command_id: { type: 'string', pattern: '^(a+)+$' } },
};

/** The fleet's routes in small: `createMission` and others. */
export function fleetSurface(more: Partial<Surface> = {}): Surface {
  return surface(
    [
      operation('GET /health', { name: 'health' }),
      operation('GET /robots', {
        name: 'listRobots',
        query: ['limit'],
        parameters: [parameter('limit', 'query', { schema: { type: 'integer' } })],
      }),
      operation('GET /robots/{id}', { name: 'getRobot' }),
      operation('DELETE /robots/{id}', { name: 'decommissionRobot', granted: false }),
      operation('POST /robots/{id}/missions', {
        name: 'createMission',
        headers: ['idempotency-key', 'authorization'],
        body: { required: true, contents: [{ mediaType: 'application/json', schema: order }] },
      }),
      operation('POST /missions/{id}/cancel', { name: 'cancelMission', max: 2 }),
    ],
    {
      health: 'health',
      batches: [{ by: 'listRobots', served: 'getRobot' }],
      schemas: { Point: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } } } },
      ...more,
    },
  );
}

export type Script = (
  request: VendorRequest,
  now: number,
  nth: number,
) => VendorOutcome | Promise<VendorOutcome>;

export interface Delivered {
  at: number;
  result: CallResult;
}

export interface Rig {
  clock: VirtualClock;
  broker: BrokerSession;
  /** Everything that reached the vendor, probes among it. */
  requests: { request: VendorRequest; now: number }[];
  /** Starts a call; its answer and the moment it came stand in the returned list. */
  start(request: string | Partial<CallParams>): Promise<Delivered[]>;
  /** Lets time pass up to a moment of the run. */
  until(time: number): Promise<void>;
  /** One call, start to answer. */
  ask(request: string | Partial<CallParams>): Promise<CallResult>;
}

export function rig(script: Script = () => answer(200), options: Partial<BrokerOptions> = {}): Rig {
  const clock = new VirtualClock(EPOCH);
  const requests: Rig['requests'] = [];
  const vendor = {
    async handle(request: VendorRequest, now: number) {
      requests.push({ request, now });
      return script(request, now, requests.length);
    },
  };
  const broker = createBrokerSession({
    surface: fleetSurface(),
    vendor,
    clock,
    authorization: AUTHORIZATION,
    ...options,
  });
  broker.setStep(0);
  const until = async (time: number): Promise<void> => {
    while (clock.now() < time || (clock.next() ?? time + 1) <= time) await clock.advance(time);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const start = async (request: string | Partial<CallParams>): Promise<Delivered[]> => {
    const delivered: Delivered[] = [];
    const { registered, answer: result } = broker.call(params(request));
    void result.then((one) => delivered.push({ at: clock.now(), result: one }));
    await registered;
    return delivered;
  };
  const ask = async (request: string | Partial<CallParams>): Promise<CallResult> => {
    const delivered = await start(request);
    while (delivered[0] === undefined) {
      const next = clock.next();
      if (next === null) throw new Error('the call waits for nothing');
      await until(next);
    }
    return delivered[0].result;
  };
  return { clock, broker, requests, start, until, ask };
}

export function params(request: string | Partial<CallParams>): CallParams {
  const base = { method: 'GET', target: '/robots', headers: {}, at: 0 };
  if (typeof request !== 'string') return { ...base, ...request };
  const [method = '', target = ''] = request.split(' ');
  return { ...base, method, target };
}

/** The fields of a failed call that matter to an adapter, in one line. */
export function brief(result: CallResult | undefined): string {
  if (result === undefined) return 'pending';
  if (result.ok) return `ok ${result.status}`;
  return `${result.status} ${result.origin} sent:${result.sent} ${result.outcome} wait:${result.retryAfterMs}`;
}
