/** Request headers: which ones an adapter may set, and what is sent. */

import type { CallParams } from '../../../shared/src/guestProtocol.ts';
import type { OperationGrant } from '../../../shared/src/surface/surface.ts';
import { isMediaType } from './mediaType.ts';

/**
 * Never an adapter's, whatever a grant says: the credential, what frames the message, and what would make the vendor
 * read another method or path than the approved one.
 */
const NEVER: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-host',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
]);

const MAX_VALUE = 4096;

/** Why a call's headers are refused, as one sentence, or null. */
export function wrongHeader(request: CallParams, grant: OperationGrant): string | null {
  for (const [name, value] of Object.entries(request.headers)) {
    if (!grant.headers.includes(name))
      return 'The grant does not let a header through that this call carries.';
    if (NEVER.has(name)) return `The header ${name} is the broker's own and cannot be set by an adapter.`;
    if (value.length > MAX_VALUE || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      return `The value of the header ${name} must be Latin-1 text without control characters, of at most ${MAX_VALUE} characters.`;
    }
  }
  if (request.contentType !== undefined && !isMediaType(request.contentType)) {
    return 'The content type of the body is no media type.';
  }
  return null;
}

/** What is sent with an approved call. Lower-case names, no prototype. */
export function forwardedHeaders(request: CallParams, authorization: string): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  headers.accept = 'application/json';
  for (const [name, value] of Object.entries(request.headers)) headers[name] = value;
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  headers.authorization = authorization;
  return headers;
}
