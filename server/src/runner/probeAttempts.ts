/** What the probe forges: calls for the broker, and frames for the guard, each with the refusal it must meet. */
import type { BrokenReason } from '../../../shared/src/evidence/evidence.ts';
import type { ForgedCall } from '../../../shared/src/probe.ts';
import type { Operation, Surface } from '../../../shared/src/surface/surface.ts';

export interface NamedCall {
  id: string;
  call: ForgedCall;
}

const METHODS = [
  'DELETE',
  'PUT',
  'PATCH',
  'TRACE',
  'CONNECT',
  'OPTIONS',
  'HEAD',
  'POST',
  'GET',
  'PROPFIND',
] as const;
const UNKNOWN = ['/', '/admin', '/.well-known/jwks.json', '/metrics', '/debug/pprof', '/openapi.json', '*'];
const HEADERS: [string, string][] = [
  ['authorization', 'Bearer x'],
  ['host', 'metadata.internal'],
  ['cookie', 'session=1'],
  ['content-length', '0'],
  ['transfer-encoding', 'chunked'],
  ['connection', 'upgrade'],
  ['upgrade', 'h2c'],
  ['forwarded', 'host=other'],
  ['x-forwarded-host', 'other'],
  ['x-forwarded-for', '127.0.0.1'],
  ['x-http-method-override', 'DELETE'],
  ['x-original-url', '/admin'],
  ['x-rewrite-url', '/admin'],
  ['proxy-authorization', 'Basic x'],
  ['origin', 'vendor'],
  ['x-loadline-credential', '1'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
];

/** A path of the operation with `1` for every parameter. */
export function pathOf({ path }: Pick<Operation, 'path'>): string {
  return path.replace(/\{[^{}]*\}/g, '1');
}

/** None of these is granted, however the document reads; what a grant lets through is left out. */
export function forgedCalls(surface: Surface, vendorPort: number): NamedCall[] {
  const { operations } = surface;
  const granted = operations.filter(({ grant }) => grant !== null);
  const base = pathOf(granted.find(({ path }) => path.includes('{')) ?? granted[0] ?? { path: '/x/{id}' });
  const calls: NamedCall[] = [];
  const add = (id: string, method: string, target: string, headers?: Record<string, string>) =>
    calls.push({ id, call: { method, target, ...(headers === undefined ? {} : { headers }) } });

  for (const { name, method, path, grant } of operations)
    if (grant === null) add(`not-granted-${name}`, method, pathOf({ path }));
  const documented = new Set(operations.map((item) => `${item.method} ${pathOf(item)}`));
  for (const method of METHODS)
    if (!documented.has(`${method} ${base}`)) add(`method-${method.toLowerCase()}`, method, base);
  for (const path of UNKNOWN) if (!documented.has(`GET ${path}`)) add(`unknown-${path}`, 'GET', path);
  for (const [id, target] of spellings(base)) add(`spelling-${id}`, 'GET', target);
  for (const [id, target] of foreign(base, vendorPort)) add(`foreign-${id}`, 'GET', target);
  for (const query of ['loadline=1', '__proto__=1', 'constructor[prototype]=1', '%6coadline=1'])
    add(`query-${query}`, 'GET', `${base}?${query}`);
  for (const [name, value] of HEADERS) {
    const headers: Record<string, string> = Object.create(null);
    headers[name] = value;
    add(`header-${name}`, 'GET', base, headers);
  }
  return calls;
}

/** Ways to write another path that some parser or other takes for `base`, or `base` for another. */
function spellings(base: string): [string, string][] {
  const parent = base.slice(0, base.lastIndexOf('/'));
  return [
    ['empty-segment', `/${base}`],
    ['trailing-slash', `${base}/`],
    ['dot', `${parent}/./1`],
    ['dot-dot', `${base}/../admin`],
    ['dot-dot-encoded', `${base}/%2e%2e/admin`],
    ['dot-dot-half-encoded', `${base}/.%2E/admin`],
    ['dot-dot-twice-encoded', `${base}/%252e%252e/admin`],
    ['dot-dot-wide', `${base}/%c0%ae%c0%ae/admin`],
    ['dot-dot-parameter', `${base}/..;/admin`],
    ['slash-encoded', `${parent}/1%2fadmin`],
    ['slash-twice-encoded', `${parent}/1%252fadmin`],
    ['slash-wide', `${parent}/1%c0%afadmin`],
    ['backslash', `${parent}/1\\admin`],
    ['backslash-encoded', `${parent}/1%5cadmin`],
    ['parameter', `${parent}/1;admin=1`],
    ['colon', `${parent}/1:admin`],
    ['zero', `${parent}/1%00`],
    ['tab-encoded', `${parent}/1%09`],
    ['line-encoded', `${parent}/1%0d%0aX:1`],
    ['line', `${parent}/1\r\nX: 1`],
    ['second-request', `${parent}/1 HTTP/1.1\r\n\r\nDELETE /admin`],
    ['space', `${parent}/1 1`],
    ['fragment', `${base}#x`],
    ['fragment-encoded', `${base}/%23/admin`],
    ['percent-alone', `${parent}/1%`],
    ['percent-broken', `${parent}/1%zz`],
    ['not-utf8', `${parent}/%ff`],
    ['wide-characters', `${parent}/\uff0e\uff0e/admin`],
    [
      'half-encoded-template',
      `${base.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}/x/y/z`,
    ],
    ['upper-case', `${parent.toUpperCase()}/1/x/y/z`],
    ['no-slash', base.slice(1)],
    ['empty', ''],
  ];
}

function foreign(base: string, port: number): [string, string][] {
  return [
    ['absolute', `http://127.0.0.1:${port}${base}`],
    ['absolute-secure', `https://example.com${base}`],
    ['absolute-metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['absolute-file', 'file:///etc/passwd'],
    ['absolute-unix', 'unix:///var/run/docker.sock'],
    ['authority', `//127.0.0.1:${port}${base}`],
    ['authority-other', `//example.com${base}`],
    ['authority-backslash', `/\\example.com${base}`],
    ['user', `@example.com${base}`],
    ['port', `:${port}${base}`],
    ['connect', `127.0.0.1:${port}`],
  ];
}

export interface NamedFrame {
  name: string;
  reason: BrokenReason;
  /** Part of the sentence that ends the run. */
  text: string;
}

const protocol = (name: string, text: string): NamedFrame => ({ name, reason: 'protocol', text });
const NO_SCHEMA = 'a message "call" that is not of its schema';
const NO_ID = 'a request whose id is no new small number';
const NO_QUESTION = 'an answer to a request that does not wait for one';
const NOT_ASKED = 'reported a step that was not asked for';
const NO_KIND = 'a message of no known kind';
const NO_MESSAGES = 'something other than messages on its output';

/** Names are those of the probe's script. Each ends its run at once, for exactly this reason. */
export const FORGED_FRAMES: readonly NamedFrame[] = [
  protocol('answer-nobody-asked', NO_QUESTION),
  protocol('answer-twice', NO_QUESTION),
  protocol('answer-with-an-error', 'an error as the answer to "step"'),
  protocol('answer-to-another-call', NO_QUESTION),
  protocol('id-used-twice', NO_ID),
  protocol('id-of-text', NO_ID),
  protocol('id-beyond-bounds', NO_ID),
  protocol('step-not-sent', NOT_ASKED),
  protocol('invocation-not-sent', NOT_ASKED),
  protocol('step-settled-twice', NOT_ASKED),
  { name: 'call-after-the-step', reason: 'call-outside-step', text: 'while no step was open' },
  protocol('greeting-twice', 'a second greeting'),
  protocol('method-of-the-host', NO_KIND),
  protocol('method-of-the-prototype', NO_KIND),
  protocol('forged-origin', NO_SCHEMA),
  protocol('forged-sent', NO_SCHEMA),
  protocol('forged-step', NO_SCHEMA),
  protocol('forged-credential', NO_SCHEMA),
  protocol('polluted-call', NO_SCHEMA),
  protocol('method-of-two-lines', NO_SCHEMA),
  protocol('header-of-two-lines', NO_SCHEMA),
  protocol('time-backwards', NO_SCHEMA),
  protocol('length-too-large', 'declared a message of more than'),
  protocol('length-negative', NO_MESSAGES),
  protocol('length-padded', NO_MESSAGES),
  protocol('second-header', NO_MESSAGES),
  protocol('header-without-end', 'declared a message of more than'),
  protocol('no-frame', NO_MESSAGES),
  { name: 'half-a-frame', reason: 'guest-died', text: 'ended in the middle of the run' },
  protocol('nested-too-deep', 'nested deeper than 64 levels'),
  protocol('not-utf8', 'not valid UTF-8'),
  protocol('not-json', 'a message that is no JSON'),
  protocol('batch', 'something other than one message'),
  protocol('number-beyond-bounds', 'a number that is beyond all bounds'),
  protocol('half-a-character', 'text with half a character'),
  protocol('too-many-bytes', 'wrote more than 33554432 bytes'),
];
