/** Streams that a hostile guest may write: a recorded session that goes on as it was for a while and then does not. */

import type { Random } from './random.ts';
import type { Session } from './recording.ts';

export interface Malformed {
  kind: MutationKind;
  /** Frames of the session that come first, as they were. */
  before: number;
  /** What comes then: a frame spoilt, and a few more of the session. */
  tail: Buffer;
}

type Mutation = (random: Random, frame: Buffer, session: Session) => Buffer;

/** Malformed messages in a whole frame. */
function framed(body: string | Buffer): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return Buffer.concat([Buffer.from(`Content-Length: ${bytes.length}\r\n\r\n`), bytes]);
}

function bodyOf(frame: Buffer): string {
  return frame.toString('utf8').replace(/^Content-Length: \d+\r\n\r\n/, '');
}

const textual =
  (change: (body: string, random: Random) => string): Mutation =>
  (random, frame) =>
    framed(change(bodyOf(frame), random));

function member(body: string, json: string): string {
  return `{${json},${body.slice(1)}`;
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const NUMBERS = [
  '1e999',
  '-1e999',
  '9'.repeat(400),
  '-0.5',
  '1e-400',
  '9007199254740993',
  '1.7976931348623157e309',
];
const IDS = ['"0"', 'null', '-1', '0.5', '1000001', '1e21', '[]', '{}', 'true', '0', '"__proto__"', '1e999'];
const NAMES = [
  'load',
  'step',
  'unload',
  'exit',
  '__proto__',
  'constructor',
  '$/cancelRequest',
  '$loadline/ended',
  'rpc.x',
  '',
];
const PARAMS = [
  'null',
  '[]',
  '0',
  '"x"',
  '{}',
  '{"__proto__":{"method":"GET"}}',
  '{"method":1,"target":[],"headers":0,"at":"0"}',
];
const BYTES = [
  [0xff],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0x80],
  [0xe2, 0x82],
  [0x00],
];
const HEADERS = [
  ...[
    'content-length: 2\r\n\r\n{}',
    'Content-Length: 02\r\n\r\n{}',
    'Content-Length: -2\r\n\r\n{}',
    'Content-Length: 2\n\n{}',
  ],
  ...[
    'Content-Length:2\r\n\r\n{}',
    'Content-Length: 2097153\r\n\r\n{}',
    'Content-Length: 99999999999999999999\r\n\r\n',
  ],
  ...[
    'Content-Type: x\r\nContent-Length: 2\r\n\r\n{}',
    'Content-Length: 2\r\nX: y\r\n\r\n{}',
    'Content-Length: 0\r\n\r\n',
    '\r\n\r\n',
  ],
  ...[
    'Content-Length: 1e1\r\n\r\n{}',
    `${'Content-Length: '.repeat(20)}`,
    'HTTP/1.1 200 OK\r\n\r\n',
    '\u0001loadline:start\n',
  ],
];

function flipped(random: Random, frame: Buffer): Buffer {
  const bytes = Buffer.from(frame);
  for (let flips = 1 + random.below(3); flips > 0; flips -= 1) {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  return bytes;
}

function spliced(random: Random, frame: Buffer, { frames }: Session): Buffer {
  const other = random.pick(frames);
  const [at, from] = [random.below(frame.length), random.below(other.length)];
  const piece = other.subarray(from, from + 1 + random.below(40));
  return Buffer.concat([frame.subarray(0, at), piece, frame.subarray(at + random.below(2) * piece.length)]);
}

const MUTATIONS = {
  'bit flips': flipped,
  truncated: (random, frame) => frame.subarray(0, random.below(frame.length)),
  spliced,
  'random bytes': (random) => Buffer.from(random.bytes(1 + random.below(200))),
  header: (random) => Buffer.from(random.pick(HEADERS)),
  'wrong length': (random, frame) => {
    const body = bodyOf(frame);
    const length = Math.max(1, Buffer.byteLength(body) + (random.once(2) ? -1 : 1) * (1 + random.below(9)));
    return Buffer.from(`Content-Length: ${length}\r\n\r\n${body}`);
  },
  'invalid UTF-8': (random, frame) => {
    const body = Buffer.from(bodyOf(frame));
    const at = random.below(body.length);
    return framed(Buffer.concat([body.subarray(0, at), Buffer.from(random.pick(BYTES)), body.subarray(at)]));
  },
  'half a character': textual(
    (body, random) =>
      `${body.slice(0, -1)},${random.pick(['"\\ud800":1', '"params":{"step":0,"timer":"\\udfff","turns":0}'])}}`,
  ),
  'no JSON': textual(
    (body, random) =>
      body.slice(0, random.below(body.length)) + random.pick(['', ',', '}', "'", '\u0000', 'NaN']),
  ),
  batch: textual((body, random) =>
    random.pick([`[${body}]`, `[${body},${body}]`, '[]', 'null', '7', '"x"', 'true']),
  ),
  deep: textual((body, random) => {
    const deep = nested(random.pick([65, 100, 1000, 20_000]));
    return random.once(2) ? deep : member(body, `"deep":${deep}`);
  }),
  'wrong number': textual((body, random) => {
    const numbers = [...body.matchAll(/(?<=[:[,])-?\d+(?=[,\]}])/g)];
    if (numbers.length === 0) return member(body, `"n":${random.pick(NUMBERS)}`);
    const { index, 0: text } = random.pick(numbers);
    return body.slice(0, index) + random.pick(NUMBERS) + body.slice(index + text.length);
  }),
  'wrong id': textual((body, random) => {
    const id = `"id":${random.pick(IDS)}`;
    return /"id":\d+/.test(body) ? body.replace(/"id":\d+/, id) : member(body, id);
  }),
  'wrong method': textual((body, random) => {
    const method = `"method":${random.once(4) ? random.pick(PARAMS) : JSON.stringify(random.pick(NAMES))}`;
    return /"method":"(call|advance|settled|hello)"/.test(body)
      ? body.replace(/"method":"(call|advance|settled|hello)"/, method)
      : member(body, method);
  }),
  'wrong params': textual((body, random) => {
    const at = body.search(/"(params|result)":/);
    const name = body.slice(at, body.indexOf(':', at));
    return `${body.slice(0, at)}${name}:${random.pick(PARAMS)}}`;
  }),
  'duplicate keys': textual((body, random) =>
    random.once(2)
      ? `${body.slice(0, -1)},"method":${JSON.stringify(random.pick(NAMES))}}`
      : `${body.slice(0, -1)},"id":${random.pick(IDS)}}`,
  ),
  'foreign members': textual((body, random) =>
    member(
      body,
      random.pick([
        '"__proto__":{"polluted":1}',
        '"constructor":{"prototype":{"polluted":1}}',
        '"error":{"code":1,"message":"x"}',
        '"toString":1',
      ]),
    ),
  ),
  repeated: (_, frame) => Buffer.concat([frame, frame]),
  'out of order': (random, frame, { frames }) => Buffer.concat([random.pick(frames), frame]),
} satisfies Record<string, Mutation>;

export type MutationKind = keyof typeof MUTATIONS;

export const MUTATION_KINDS = Object.keys(MUTATIONS) as MutationKind[];

/** The frame at `at` spoilt in the way of `kind`. */
export function malformed(random: Random, kind: MutationKind, at: number, session: Session): Malformed {
  const frame = session.frames[at] ?? Buffer.alloc(0);
  const mutate: Mutation = MUTATIONS[kind];
  const rest = session.frames.slice(at + 1, at + 1 + random.below(3));
  return { kind, before: at, tail: Buffer.concat([mutate(random, frame, session), ...rest]) };
}

/**
 * Whether a stream is made of whole, well-formed JSON-RPC messages, the last frame perhaps not at its end: read in
 * another way than the guard reads it, and less strictly. What is not cannot have been let through.
 */
export function looksLikeMessages(stream: Buffer): boolean {
  let rest = stream.toString('latin1');
  while (rest !== '') {
    const header = /^Content-Length: ([1-9]\d{0,6})\r\n\r\n/.exec(rest);
    if (header === null)
      return (
        'Content-Length: '.startsWith(rest) || /^Content-Length: ([1-9]\d{0,6}(\r(\n\r?)?)?)?$/.test(rest)
      );
    const start = header[0].length;
    const end = start + Number(header[1]);
    if (rest.length < end) return true;
    if (!isMessage(rest.slice(start, end))) return false;
    rest = rest.slice(end);
  }
  return true;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function isMessage(latin1: string): boolean {
  try {
    const message = JSON.parse(utf8.decode(Buffer.from(latin1, 'latin1')));
    const keys = Object.keys(message).sort().join(' ');
    return (
      message.jsonrpc === '2.0' &&
      ['id jsonrpc method params', 'jsonrpc method params', 'id jsonrpc result'].includes(keys)
    );
  } catch {
    return false;
  }
}
