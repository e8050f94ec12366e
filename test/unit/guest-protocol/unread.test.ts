/** A guest that does not read what it is sent. */
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { openGuestChannel } from '../../../server/src/sandbox/guestChannel.ts';

const MIB = 1024 * 1024;

/** The host's end, with a guest that reads nothing; `taken` counts the bytes that wait for it. */
function channelToNobody() {
  const stdin = new Writable({ write: () => undefined });
  const handlers = {
    call: () => Promise.reject(new Error('not asked')),
    advance: () => Promise.reject(new Error('not asked')),
    settled: () => undefined,
  };
  const channel = openGuestChannel({ stdin, stdout: new PassThrough(), stderr: new PassThrough(), handlers });
  const send = (bytes: number) => {
    const load = {
      fileName: 'adapter.js',
      client: '',
      clientName: 'vendor',
      exports: [],
      random: 1,
      epoch: 0,
    };
    channel.load({ ...load, clock: 'virtual', adapter: 'x'.repeat(bytes) }).catch(() => undefined);
  };
  return { channel, stdin, send };
}

test('is sent 64 MiB and no more; then its run is over', async () => {
  const { channel, stdin, send } = channelToNobody();
  for (let sent = 0; sent < 63; sent++) send(MIB);
  const full = await Promise.race([
    channel.violation,
    new Promise((resolve) => setImmediate(resolve, 'none')),
  ]);
  expect(full).toBe('none');
  send(MIB);
  expect(await channel.violation).toEqual({
    reason: 'unread',
    text: 'The guest does not read what it is sent: more than 64 MiB wait for it.',
  });
  const waiting = stdin.writableLength;
  expect(waiting).toBeGreaterThan(63 * MIB);
  // Nothing is added any more, however small.
  send(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(stdin.writableLength).toBe(waiting);
  channel.close();
});
