/**
 * An OpenAPI 3.0, 3.1, 3.2 or Swagger 2.0 document as read: its operations with their parameters, bodies and answers,
 * still as nodes of the placed trees. Schemas are read later, for what a grant reaches.
 */
import { posix } from 'node:path';
import type { Diagnostic, SourceRange } from '../../../shared/src/surface/surface.ts';
import { FileRefused, type FileSource } from './files.ts';
import { Findings } from './findings.ts';
import type { ApiDocument, Dialect } from './model.ts';
import { readOperations } from './operations.ts';
import { References } from './references.ts';
import { isObject, isScalar, type ObjectNode, objectAt, stringAt, type TreeNode } from './tree.ts';

export interface LoadOptions {
  /**
   * Whether regular expressions of the document may be compiled to check their syntax (they are never run). Only in a
   * trusted workspace. Default false.
   */
  trusted?: boolean;
}

export interface LoadedDocument {
  /** `null`: nothing that operations could be read from. */
  document: ApiDocument | null;
  diagnostics: Diagnostic[];
}

/**
 * Loads a document; what is wrong with it is a diagnostic, never an exception.
 * @param file relative to the project folder, with `/`
 */
export function loadDocument(files: FileSource, file: string, options: LoadOptions = {}): LoadedDocument {
  const path = posix.normalize(file);
  const references = new References(files);
  const findings = new Findings();
  const root = openRoot(references, path, findings);
  const head = root && readHead(root, findings);
  if (!root || !head) return { document: null, diagnostics: collect(findings, references) };
  const self = head.dialect === '3.2' ? stringAt(root, '$self') : undefined;
  if (self !== undefined) references.setSelf(self, path);
  const operations = readOperations({ root, dialect: head.dialect, references, findings });
  const diagnostics = collect(findings, references);
  const trusted = options.trusted === true;
  const read = references.opened();
  const document = { file: path, ...head, root, references, trusted, files: read, operations, diagnostics };
  return { document, diagnostics };
}

function collect(findings: Findings, references: References): Diagnostic[] {
  findings.addAll(references.syntax(references.opened()));
  return findings.list();
}

function openRoot(references: References, file: string, findings: Findings): ObjectNode | null {
  const nowhere = { line: 0, character: 0 };
  const start = { file, start: nowhere, end: nowhere };
  try {
    const root = references.open(file);
    if (root !== null && isObject(root)) return root;
    const broken = references.syntax([file]).some((problem) => problem.severity === 'error');
    if (!broken) findings.add('document-not-openapi', 'error', root?.range ?? start, NOT_OPENAPI);
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    const code = error.reason === 'limit' ? 'document-limit' : 'document-unreadable';
    findings.add(code, 'error', start, error.message);
  }
  return null;
}

const NOT_OPENAPI = 'This is no OpenAPI document: it starts with neither "openapi" nor "swagger".';

type Head = Pick<ApiDocument, 'dialect' | 'version' | 'title' | 'apiVersion'>;

function readHead(root: ObjectNode, findings: Findings): Head | null {
  const stated = root.get('openapi') ?? root.get('swagger');
  if (stated === undefined) {
    findings.add('document-not-openapi', 'error', startOf(root), NOT_OPENAPI);
    return null;
  }
  const version = isScalar(stated) ? stated.written : '';
  const dialect = dialectOf(version, root.has('openapi'));
  if (dialect === null) {
    const message = `Version "${version}" is not supported; 2.0, 3.0, 3.1 and 3.2 are.`;
    findings.add('document-unsupported-version', 'error', stated.range, message);
    return null;
  }
  const info = objectAt(root, 'info');
  return { dialect, version, title: textAt(info, 'title'), apiVersion: textAt(info, 'version') };
}

function dialectOf(version: string, openapi: boolean): Dialect | null {
  if (!openapi) return version === '2.0' ? '2.0' : null;
  const minor = /^3\.([012])(\.\d+)?(-[\w.]+)?$/.exec(version)?.[1];
  if (minor === '0') return '3.0';
  if (minor === '1') return '3.1';
  return minor === '2' ? '3.2' : null;
}

function textAt(node: ObjectNode | undefined, key: string): string {
  const value = node?.get(key);
  return isScalar(value) && value.value !== null ? value.written : '';
}

/** The first character: a whole document underlined helps nobody. */
function startOf(node: TreeNode): SourceRange {
  return node.source.range(node.start, node.start + 1);
}
