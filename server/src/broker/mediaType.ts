/** Media types, as requests, answers and documents write them. */
import type { Json } from '../../../shared/src/json.ts';

/** Without parameters, lower case. */
export function essence(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

export function isJson(mediaType: string): boolean {
  const type = essence(mediaType);
  return type.endsWith('/json') || type.endsWith('+json');
}

/** As RFC 9110 writes one, with plain or quoted parameters. */
export function isMediaType(text: string): boolean {
  if (text.length > 200) return false;
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+(?: ?; ?[\w-]+=(?:[\w.+/-]+|"[\w .+/:-]*"))*$/.test(text);
}

/** A body as it is sent: JSON, but a text of another media type (a form, as the client writes it) is sent as it is. */
export function bodyText(body: Json, mediaType = 'application/json'): string {
  return typeof body === 'string' && !isJson(mediaType) ? body : JSON.stringify(body);
}
