/** Documented answers of an operation. */
import type { SourceRange } from '../../../shared/src/surface/surface.ts';
import type { ReadContext } from './context.ts';
import { isJsonType, isStreamType } from './mediaTypes.ts';
import type { AnswerSource, ContentSource } from './model.ts';
import { isObject, type ObjectNode, objectAt, stringAt, stringsOf, type TreeNode } from './tree.ts';

export function readAnswers(context: ReadContext, operation: ObjectNode, where: SourceRange): AnswerSource[] {
  const map = operation.get('responses');
  if (!isObject(map)) {
    const message = 'No answers are documented, so what a call gives is not known.';
    context.findings.add('document-no-answers', 'warning', map?.range ?? where, message);
    return [];
  }
  const answers: AnswerSource[] = [];
  for (const [written, value] of map.entries()) {
    if (written.startsWith('x-')) continue;
    const status = statusOf(written);
    if (status === undefined) {
      const message = `"${written}" is no status: 200, 4XX or default.`;
      context.findings.add('document-status', 'warning', map.keyRange(written), message);
      continue;
    }
    const node = follow(context, value);
    if (node !== undefined) answers.push(readAnswer(context, operation, node, status));
  }
  return answers;
}

function statusOf(written: string): string | undefined {
  if (/^[1-5]\d\d$/.test(written) || written === 'default') return written;
  return /^[1-5]XX$/i.test(written) ? written.toUpperCase() : undefined;
}

function follow(context: ReadContext, node: TreeNode): ObjectNode | undefined {
  if (!isObject(node)) return undefined;
  const reference = node.get('$ref');
  if (reference === undefined) return node;
  const target = context.references.resolve(node, 'object');
  if (target.ok) return isObject(target.node) ? target.node : undefined;
  context.findings.add(target.code, 'error', reference.range, target.message);
  return undefined;
}

function readAnswer(
  context: ReadContext,
  operation: ObjectNode,
  node: ObjectNode,
  status: string,
): AnswerSource {
  const description = stringAt(node, 'description');
  const contents =
    context.dialect === '2.0' ? swaggerContents(context, operation, node) : contentsOf(context, node);
  if (context.dialect !== '2.0' && /^(2|default)/.test(status)) mediaTypes(context, node, contents);
  const headers = objectAt(node, 'headers')?.keys.map((name) => name.toLowerCase()) ?? [];
  return { status, ...(description !== undefined && { description }), contents, headers };
}

function contentsOf(context: ReadContext, node: ObjectNode): ContentSource[] {
  const map = objectAt(node, 'content');
  if (map === undefined) return [];
  return [...map.entries()].map(([mediaType, written]) => {
    const media = isObject(written) && written.has('$ref') ? follow(context, written) : written;
    const schema = isObject(media) ? media.get('schema') : undefined;
    return { mediaType, ...(schema && { schema }) };
  });
}

function swaggerContents(context: ReadContext, operation: ObjectNode, node: ObjectNode): ContentSource[] {
  const schema = node.get('schema');
  if (schema === undefined) return [];
  const produces = stringsOf(operation.get('produces') ?? context.root.get('produces'));
  return (produces.length > 0 ? produces : ['application/json']).map((mediaType) => ({ mediaType, schema }));
}

function mediaTypes(context: ReadContext, node: ObjectNode, contents: readonly ContentSource[]): void {
  const map = objectAt(node, 'content');
  for (const { mediaType } of contents) {
    if (!isStreamType(mediaType)) continue;
    const message = `"${mediaType}" is a stream; the client gives one whole answer.`;
    context.findings.add('document-stream', 'information', map?.keyRange(mediaType) ?? node.range, message);
  }
  const [first] = contents;
  if (map === undefined || first === undefined || contents.some(({ mediaType }) => isJsonType(mediaType)))
    return;
  if (contents.some(({ mediaType }) => isStreamType(mediaType))) return;
  const message = `"${first.mediaType}" is no JSON, so the answer is not typed.`;
  context.findings.add('document-answer-media-type', 'information', map.keyRange(first.mediaType), message);
}
