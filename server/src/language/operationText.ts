/** One operation as markdown: route, grant, summary, what makes a repeat the same order, body and answers. */
import type { Operation, OperationGrant } from '../../../shared/src/surface/surface.ts';
import { markdownCode, markdownText, SUMMARY_LENGTH } from '../../../shared/src/text.ts';

/** An operation of a snapshot never changes, and a list of a thousand comes with every key. */
const written = new WeakMap<Operation, string>();

export function operationMarkdown(operation: Operation): string {
  const known = written.get(operation);
  if (known !== undefined) return known;
  const text = write(operation);
  written.set(operation, text);
  return text;
}

function write(operation: Operation): string {
  const { method, path, summary, description, grant, unusable, deprecated } = operation;
  return [
    markdownCode(`${method} ${path}`, SUMMARY_LENGTH),
    grantSentence(grant, unusable),
    ...(deprecated ? ['Deprecated by the vendor.'] : []),
    ...(summary ? [markdownText(summary, SUMMARY_LENGTH)] : []),
    ...(description && description !== summary ? [markdownText(description)] : []),
    ...(grant ? keySentence(operation, grant) : []),
    ...answerLine(operation),
  ].join('\n\n');
}

export function grantSentence(grant: OperationGrant | null, unusable?: string): string {
  if (grant === null)
    return '**Not granted**: the grant has no line for it, so the broker refuses every call.';
  if (unusable !== undefined) return `**Granted, but not callable**: ${markdownText(unusable)}`;
  return `**Granted** by ${markdownCode(grant.route, SUMMARY_LENGTH)}`;
}

function keySentence({ method }: Operation, { key, safe, max }: OperationGrant): string[] {
  const bound = max === undefined ? [] : [`At most ${max} calls in one run.`];
  if (safe || !['POST', 'PATCH', 'PUT', 'DELETE'].includes(method)) return bound;
  if (key === undefined) return ['Nothing names a repeat: calling it again may do it again.', ...bound];
  const name = key.in === 'body' ? key.pointer : key.name;
  const where = { body: 'The body field', header: 'The header', path: 'The path parameter' }[key.in];
  return [
    `${where} ${markdownCode(name, SUMMARY_LENGTH)} names the order: a repeat with the same value is the same order.`,
    ...bound,
  ];
}

function answerLine({ answers }: Operation): string[] {
  if (answers.length === 0) return [];
  const words = answers.slice(0, 12).map(({ status }) => markdownCode(status, 20));
  return [`Answers: ${words.join(', ')}`];
}
