/** Forged and broken protocol, one kind per container: the host ends a run at the first. */
import { LIMITS } from '../../shared/src/guestProtocol.ts';
import type { JsonObject } from '../../shared/src/json.ts';
import type { Wire } from './wire.ts';

/** `step`: id of the host's request that is open. */
type Forge = (wire: Wire, step: number) => void;

const CALL = { method: 'GET', target: '/', headers: {}, at: 0 };
const DONE = { kind: 'returned', value: null };

function call(wire: Wire, more: JsonObject): void {
  wire.send({ id: 7, method: 'call', params: { ...CALL, ...more } });
}

function settled(wire: Wire, step: number, invocation: number): void {
  wire.send({ method: 'settled', params: { step, invocation, result: DONE, at: 0 } });
}

function frame(wire: Wire, body: string | Uint8Array): void {
  const bytes = Buffer.from(body as string);
  wire.write(Buffer.concat([Buffer.from(`Content-Length: ${bytes.length}\r\n\r\n`), bytes]));
}

const FORGES = new Map<string, Forge>([
  ['answer-nobody-asked', (wire) => wire.answer(4711, null)],
  [
    'answer-twice',
    (wire, step) => {
      wire.answer(step, null);
      wire.answer(step, null);
    },
  ],
  ['answer-with-an-error', (wire, step) => wire.send({ id: step, error: { code: 1, message: 'no' } })],
  ['answer-to-another-call', (wire) => wire.send({ id: 7, result: { ok: true, status: 200, body: null } })],
  [
    'id-used-twice',
    (wire) => {
      call(wire, {});
      call(wire, {});
    },
  ],
  ['id-of-text', (wire) => wire.send({ id: '7', method: 'call', params: CALL })],
  ['id-beyond-bounds', (wire) => wire.send({ id: 2 ** 40, method: 'call', params: CALL })],
  ['step-not-sent', (wire) => settled(wire, 5, 0)],
  ['invocation-not-sent', (wire) => settled(wire, 0, 3)],
  [
    'step-settled-twice',
    (wire) => {
      settled(wire, 0, 0);
      settled(wire, 0, 0);
    },
  ],
  [
    'call-after-the-step',
    (wire) => {
      settled(wire, 0, 0);
      call(wire, {});
    },
  ],
  ['greeting-twice', (wire) => wire.send({ method: 'hello', params: { protocol: 1, node: 'v22' } })],
  [
    'method-of-the-host',
    (wire) => wire.send({ id: 7, method: 'step', params: { step: 1, invocations: [] } }),
  ],
  ['method-of-the-prototype', (wire) => wire.send({ id: 7, method: '__proto__', params: {} })],
  ['forged-origin', (wire) => call(wire, { origin: 'vendor' })],
  ['forged-sent', (wire) => call(wire, { sent: 'yes' })],
  ['forged-step', (wire) => call(wire, { step: 0 })],
  ['forged-credential', (wire) => call(wire, { authorization: 'Bearer x', credential: 1 })],
  [
    'polluted-call',
    (wire) =>
      frame(
        wire,
        '{"jsonrpc":"2.0","id":7,"method":"call","params":{"method":"GET","target":"/","headers":{},"at":0,"__proto__":{"granted":true}}}',
      ),
  ],
  ['method-of-two-lines', (wire) => call(wire, { method: 'GET / HTTP/1.1\r\nHost: x\r\n\r\nDELETE' })],
  ['header-of-two-lines', (wire) => call(wire, { headers: { 'x\r\nauthorization': 'Bearer x' } })],
  ['time-backwards', (wire) => call(wire, { at: -1 })],
  ['length-too-large', (wire) => wire.write(`Content-Length: ${2 ** 31}\r\n\r\n`)],
  ['length-negative', (wire) => wire.write('Content-Length: -1\r\n\r\n')],
  ['length-padded', (wire) => wire.write('Content-Length: 0002\r\n\r\n{}')],
  ['second-header', (wire) => wire.write('Content-Length: 2\r\nContent-Type: x\r\n\r\n{}')],
  ['header-without-end', (wire) => wire.write(`Content-Length: ${'1'.repeat(200)}`)],
  ['no-frame', (wire) => wire.write('{"jsonrpc":"2.0"}\n')],
  [
    'half-a-frame',
    (wire) => {
      wire.write('Content-Length: 100\r\n\r\n{"jsonrpc"');
      process.exit(0);
    },
  ],
  ['nested-too-deep', (wire) => frame(wire, `${'['.repeat(5000)}${']'.repeat(5000)}`)],
  ['not-utf8', (wire) => frame(wire, Uint8Array.from([0x22, 0xc3, 0x28, 0x22]))],
  ['not-json', (wire) => frame(wire, '{"jsonrpc":')],
  ['batch', (wire) => frame(wire, '[{"jsonrpc":"2.0","id":7,"method":"call","params":{}}]')],
  ['number-beyond-bounds', (wire) => frame(wire, '{"jsonrpc":"2.0","id":7,"method":"call","params":1e999}')],
  ['half-a-character', (wire) => frame(wire, '{"jsonrpc":"2.0","id":7,"method":"\\ud800","params":{}}')],
  [
    'too-many-bytes',
    (wire) => {
      const body = 'x'.repeat(LIMITS.frameBytes - 1024);
      const frames = Math.ceil(LIMITS.totalBytes / body.length) + 1;
      for (let id = 1; id <= frames; id++) wire.send({ id, method: 'call', params: { ...CALL, body } });
    },
  ],
]);

export function forge(name: string, wire: Wire, step: number): void {
  FORGES.get(name)?.(wire, step);
}
