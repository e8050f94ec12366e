/** The frame guard: what passes, what ends the guest's right to speak, and that chunks of any size change neither. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameGuard, type FrameLimits } from '../../../server/src/sandbox/guard.ts';
import { encodeFrame, LIMITS } from '../../../shared/src/guestProtocol.ts';

const small: FrameLimits = { headerBytes: 128, frameBytes: 200, nesting: 4, frames: 5, totalBytes: 600 };

/** Bodies passed and the reason of the end, when `bytes` arrive in pieces of these sizes. */
function pass(bytes: Uint8Array, sizes: number[] = [bytes.length], limits: FrameLimits = small) {
  const guard = new FrameGuard(limits);
  const bodies: string[] = [];
  let at = 0;
  for (let piece = 0; at < bytes.length; piece += 1) {
    const size = Math.max(1, sizes[piece % sizes.length] ?? 1);
    bodies.push(...guard.push(bytes.subarray(at, at + size)).map((body) => body.toString('utf8')));
    at += size;
  }
  return { bodies, reason: guard.violation?.reason ?? null };
}

const text = (value: string) => Buffer.from(value, 'latin1');
const frame = (body: string) => Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
const join = (...parts: Uint8Array[]) => Buffer.concat(parts);

describe('frames', () => {
  test('whole frames pass in order, whatever they hold', () => {
    const bodies = ['{"a":1}', '[]', '"é€😀"', '{"b":"\\"]}]}]}]}"}'];
    expect(pass(join(...bodies.map(frame)))).toEqual({ bodies, reason: null });
  });

  test('what both sides write passes', () => {
    expect(pass(encodeFrame({ text: 'ü😀' }))).toEqual({ bodies: ['{"text":"ü😀"}'], reason: null });
  });

  test.each([
    ['text instead of a header', 'hello\n', 'header'],
    ['another case', 'content-length: 2\r\n\r\n{}', 'header'],
    ['another header first', 'Content-Type: a\r\nContent-Length: 2\r\n\r\n{}', 'header'],
    ['another header after', 'Content-Length: 2\r\nContent-Type: a\r\n\r\n{}', 'header'],
    ['bare line feeds', 'Content-Length: 2\n\n{}', 'header'],
    ['no digits', 'Content-Length: \r\n\r\n', 'header'],
    ['a sign', 'Content-Length: -2\r\n\r\n{}', 'header'],
    ['a leading zero', 'Content-Length: 02\r\n\r\n{}', 'header'],
    ['an empty body', 'Content-Length: 0\r\n\r\n', 'header'],
    ['two spaces', 'Content-Length:  2\r\n\r\n{}', 'header'],
    ['a space after', 'Content-Length: 2 \r\n\r\n{}', 'header'],
    ['digits after the line end', 'Content-Length: 2\r9\n\r\n{}', 'header'],
    ['a hexadecimal length', 'Content-Length: 0x2\r\n\r\n{}', 'header'],
    ['a length above the limit', 'Content-Length: 201\r\n\r\n', 'frame-size'],
    ['a length beyond all bounds', `Content-Length: ${'9'.repeat(400)}`, 'frame-size'],
    ['bytes that are no UTF-8', 'Content-Length: 4\r\n\r\n"\xff\xfe"', 'utf8'],
    ['an overlong encoding', 'Content-Length: 4\r\n\r\n"\xc0\x80"', 'utf8'],
    ['an encoded surrogate', 'Content-Length: 5\r\n\r\n"\xed\xa0\x80"', 'utf8'],
    ['objects too deep', 'Content-Length: 25\r\n\r\n{"a":{"a":{"a":{"a":{}}}}}', 'nesting'],
    ['arrays too deep', 'Content-Length: 10\r\n\r\n[[[[[]]]]]', 'nesting'],
  ])('%s ends it', (_name, bytes, reason) => {
    expect(pass(text(bytes))).toEqual({ bodies: [], reason });
    expect(pass(join(frame('{}'), text(bytes)))).toEqual({ bodies: ['{}'], reason });
  });

  test('brackets inside strings are no nesting, behind escaped quotes neither', () => {
    const bodies = ['"[[[[[[[["', '"\\"[[[[[[[["', '"\\\\"', '["\\\\",[[["\\\\\\"[[["]]]]'];
    expect(pass(join(...bodies.map(frame)))).toEqual({ bodies, reason: null });
  });

  test('the limit of frames and of bytes is met and then passed', () => {
    const five = Array.from({ length: 5 }, () => frame('{}'));
    expect(pass(join(...five))).toEqual({ bodies: ['{}', '{}', '{}', '{}', '{}'], reason: null });
    expect(pass(join(...five, frame('{}'))).reason).toBe('frames');
    const body = `"${'x'.repeat(148)}"`;
    const exact = join(frame(body), frame(body), frame(body), frame(`"${'x'.repeat(57)}"`));
    expect(pass(exact, [64], { ...small, totalBytes: exact.length }).reason).toBe(null);
    expect(pass(exact, [64], { ...small, totalBytes: exact.length - 1 })).toEqual({
      bodies: [body, body, body],
      reason: 'bytes',
    });
  });

  test('nothing passes after the first broken rule', () => {
    const guard = new FrameGuard(small);
    expect(guard.push(text('x'))).toEqual([]);
    expect(guard.push(frame('{}'))).toEqual([]);
    expect(guard.violation?.reason).toBe('header');
  });

  test('a declared length costs no memory before its bytes arrive', () => {
    const before = process.memoryUsage().arrayBuffers;
    const guards = Array.from({ length: 50 }, () => new FrameGuard());
    for (const guard of guards) guard.push(text(`Content-Length: ${LIMITS.frameBytes}\r\n\r\n[`));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 70_000);
  });

  test('a frame of two mebibytes passes in small pieces', () => {
    const body = `"${'x'.repeat(LIMITS.frameBytes - 2)}"`;
    const { bodies, reason } = pass(frame(body), [7], LIMITS);
    expect([bodies.length, bodies[0] === body, reason]).toEqual([1, true, null]);
  });
});

describe('chunks', () => {
  const piece = fc.oneof(
    fc.json().map((body) => frame(body)),
    fc.constantFrom(
      text('Content-Length: 12\r\n\r\n[[[[[]]]]]  '),
      text('Content-Length: 3\r\n\r\n"\xff"'),
      text('Content-Length: 999\r\n\r\n'),
      text('Content-Length: 7\r\n\r'),
      text('garbage'),
    ),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  );

  test('any cutting gives what the whole gives', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (pieces, sizes) => {
          const bytes = join(...pieces);
          expect(pass(bytes, sizes)).toEqual(pass(bytes));
        },
      ),
      { numRuns: 500 },
    );
  });
});
