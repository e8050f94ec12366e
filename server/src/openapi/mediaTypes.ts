/** Which media types are JSON or a URL-encoded form, parameters left aside. */

/** `application/json`, anything `+json`, and ranges that admit JSON. */
export function isJsonType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return (
    essence === 'application/json' ||
    essence.endsWith('+json') ||
    essence === '*/*' ||
    essence === 'application/*'
  );
}

export function isFormType(mediaType: string): boolean {
  return essenceOf(mediaType) === 'application/x-www-form-urlencoded';
}

/** A stream of messages instead of one. */
export function isStreamType(mediaType: string): boolean {
  return /^(text\/event-stream|application\/(jsonl|x-ndjson|json-seq)|multipart\/mixed)$/.test(
    essenceOf(mediaType),
  );
}

function essenceOf(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}
