/**
 * A guest that plays a recorded session up to a place, each message when its turn is, and then writes what it should
 * not and ends. It is our own script, put into the image in place of the guest. Which case it plays is the text of the
 * adapter that it is given.
 */
import type { Malformed } from './mutations.ts';
import type { Session } from './recording.ts';

/** Runs in the container, with `SAID`, `FRAMES` and `CASES` before it. */
function play(said: { after: number }[], frames: string[], cases: { before: number; tail: string }[]): void {
  let seen = '';
  let heard = 0;
  let sent = 0;
  let chosen: { before: number; tail: string } | undefined;
  const write = (latin1: string, done?: () => void) =>
    process.stdout.write(Buffer.from(latin1, 'latin1'), done);
  const next = () => {
    while (sent < said.length && heard >= (said[sent]?.after ?? 0)) {
      // The greeting comes before the case is known.
      if (sent > 0 && chosen !== undefined && sent >= chosen.before) {
        write(chosen.tail, () => setTimeout(() => process.exit(0), 20));
        sent = said.length;
        return;
      }
      write(frames[sent] ?? '');
      sent += 1;
    }
  };
  process.stdin.on('data', (chunk) => {
    seen += chunk.toString('latin1');
    for (;;) {
      const header = /Content-Length: (\d+)\r\n\r\n/.exec(seen);
      if (header === null || seen.length < header.index + header[0].length + Number(header[1])) break;
      const start = header.index + header[0].length;
      const body = seen.slice(start, start + Number(header[1]));
      seen = seen.slice(start + Number(header[1]));
      heard += 1;
      if (heard === 1) chosen = cases[Number(JSON.parse(body).params.adapter)];
    }
    next();
  });
  process.stdin.on('end', () => process.exit(0));
  next();
}

export function hostileGuest(session: Session, cases: readonly Malformed[]): Buffer {
  const latin1 = (bytes: Buffer) => bytes.toString('latin1');
  const parameters = [
    session.said.map(({ after }) => ({ after })),
    session.frames.map(latin1),
    cases.map(({ before, tail }) => ({ before, tail: latin1(tail) })),
  ];
  return Buffer.from(`(${play})(${parameters.map((value) => JSON.stringify(value)).join(', ')});\n`);
}
