/**
 * A session as it was between host and a real guest: what the guest said, and how much the host had said before each.
 * Kept in a file, so that cases made from it stay the same; `guestContainers.test.ts` records it anew and compares.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Sandbox } from '../../server/src/sandbox/sandbox.ts';
import { encodeFrame } from '../../shared/src/guestProtocol.ts';
import type { JsonObject } from '../../shared/src/json.ts';

export const RECORDING = join(import.meta.dirname, '../fixtures/guest-session.json');

export interface Said {
  /** Frames of the host that were written before it. */
  after: number;
  message: JsonObject;
}

export interface Session {
  said: Said[];
  /** `said`, as bytes. */
  frames: Buffer[];
}

export function recordedSession(): Session {
  const said: Said[] = JSON.parse(readFileSync(RECORDING, 'utf8'));
  const frames = said.map(({ message }) => Buffer.from(encodeFrame(message)));
  return { said, frames };
}

const HEADER = /Content-Length: (\d+)\r\n\r\n/y;

/** Bodies of the frames in a well-formed stream, as they become complete. */
function onFrames(stream: Readable, take: (body: string) => void): void {
  let bytes = '';
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.toString('latin1');
    for (;;) {
      HEADER.lastIndex = Math.max(0, bytes.indexOf('Content-Length'));
      const [header, length] = HEADER.exec(bytes) ?? [];
      if (header === undefined || bytes.length < HEADER.lastIndex + Number(length)) return;
      const end = HEADER.lastIndex + Number(length);
      take(Buffer.from(bytes.slice(HEADER.lastIndex, end), 'latin1').toString('utf8'));
      bytes = bytes.slice(end);
    }
  });
}

/** The same sandbox, with every frame of its containers noted in `said`. */
export function recording(sandbox: Sandbox, said: Said[]): Sandbox {
  let host = 0;
  return {
    ...sandbox,
    tier: sandbox.tier,
    engineFacts: sandbox.engineFacts,
    discard: (container) => sandbox.discard(container),
    async start(runId, signal) {
      const container = await sandbox.start(runId, signal);
      const [stdin, seen] = [new PassThrough(), new PassThrough()];
      stdin.pipe(container.stdin as Writable);
      onFrames(stdin, () => {
        host += 1;
      });
      container.stdout.pipe(seen);
      onFrames(seen, (body) => said.push({ after: host, message: JSON.parse(body) }));
      return Object.assign(Object.create(container), { stdin, stdout: seen, exited: container.exited });
    },
  };
}
