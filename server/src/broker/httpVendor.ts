/**
 * A vendor that listens: the vendor's seam over HTTP/1.1. Every call gets a connection of its own, so an error before
 * the connection stands means that nothing was sent, and any later one that the vendor may have acted; on a reused
 * connection that the other side has just closed, nobody could tell the two apart.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Json } from '../../../shared/src/json.ts';
import type { Vendor, VendorOutcome, VendorRequest } from '../vendor/vendor.ts';
import { CALL_LIMIT_MS, MAX_ANSWER_BYTES } from './answers.ts';
import { bodyText, isJson } from './mediaType.ts';

export interface HttpVendorOptions {
  /** Bare origin: scheme, host and port. https, or http on this machine's loopback. */
  origin: string;
  /** ms until a connection has to stand. Default 10 s. */
  connectMs?: number;
  /** ms until the whole answer has to be there. Default 60 s, the limit of a brokered call. */
  answerMs?: number;
  /** Certificates trusted in place of the system's, PEM. */
  ca?: string;
}

export interface HttpVendor extends Vendor {
  /** Cuts what is under way. */
  close(): void;
}

const CONNECT_MS = 10_000;
/** Answer headers that are kept. */
const KEPT = ['content-type', 'retry-after'];

/** Throws an Error with a sentence for people where `origin` is no origin that may be called. */
export function createHttpVendor(options: HttpVendorOptions): HttpVendor {
  const origin = vendorOrigin(options.origin);
  const underWay = new Set<ClientRequest>();
  return {
    handle: (request) => exchange(origin, options, request, underWay),
    close() {
      for (const request of underWay) request.destroy();
    },
  };
}

/** The origin of a vendor's address, checked. Throws an Error with a sentence for people. */
export function vendorOrigin(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error("The vendor's address is no http or https address; write it as https://host:port.");
  }
  if (url.username !== '' || url.password !== '' || url.href !== `${url.origin}/` || /[?#]/.test(address)) {
    throw new Error(
      "The vendor's address must be a bare origin (https://host:port), without a path, query or user.",
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new Error("The vendor's address must be https; plain http is for this machine's loopback only.");
  }
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function exchange(
  origin: URL,
  options: HttpVendorOptions,
  request: VendorRequest,
  underWay: Set<ClientRequest>,
): Promise<VendorOutcome> {
  const text =
    request.body === undefined ? undefined : bodyText(request.body, request.headers['content-type']);
  return new Promise((resolve) => {
    const secure = origin.protocol === 'https:';
    const outgoing = (secure ? httpsRequest : httpRequest)({
      host: origin.hostname.replace(/^\[|\]$/g, ''),
      port: origin.port === '' ? (secure ? 443 : 80) : Number(origin.port),
      method: request.method,
      path: request.target,
      headers: {
        ...request.headers,
        'accept-encoding': 'identity',
        connection: 'close',
        ...(text === undefined ? {} : { 'content-length': Buffer.byteLength(text) }),
      },
      agent: false,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    underWay.add(outgoing);
    let opened = false;
    const end = (outcome: VendorOutcome): void => {
      underWay.delete(outgoing);
      clearTimeout(connecting);
      clearTimeout(answering);
      resolve(outcome);
      outgoing.destroy();
    };
    const fail = (): void => end({ kind: opened ? 'dropped' : 'unopened', afterMs: 0 });
    const connecting = setTimeout(fail, options.connectMs ?? CONNECT_MS);
    const answering = setTimeout(fail, options.answerMs ?? CALL_LIMIT_MS);
    outgoing.on('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        opened = true;
        clearTimeout(connecting);
      });
    });
    // Once an answer has begun, whether it becomes whole is its reader's to say.
    let answered = false;
    const failUnanswered = (): void => {
      if (!answered) fail();
    };
    outgoing.on('error', failUnanswered);
    outgoing.on('close', failUnanswered);
    outgoing.on('response', (incoming) => {
      answered = true;
      readAnswer(incoming).then(end, fail);
    });
    outgoing.end(text);
  });
}

/** The whole answer; rejects where it ends early, is too large or comes encoded. */
async function readAnswer(incoming: IncomingMessage): Promise<VendorOutcome> {
  const encoding = incoming.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new Error('encoded');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('too large');
    chunks.push(chunk);
  }
  if (!incoming.complete) throw new Error('incomplete');
  const headers: Record<string, string> = Object.create(null);
  for (const name of KEPT) {
    const value = incoming.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const body = parseBody(text, headers['content-type'] ?? '');
  return { kind: 'answer', status: incoming.statusCode ?? 0, headers, body, afterMs: 0 };
}

/** A body that says JSON and is none is passed on as the text it is. */
function parseBody(text: string, type: string): Json {
  if (text === '') return null;
  if (!isJson(type)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
