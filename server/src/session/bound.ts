/** Whether the editor's own JavaScript service speaks about a file in full. The one place that decides it. */
import { dirname, resolve } from 'node:path';
import type { OpenProject } from './openProject.ts';
import { areTypingsCurrent, typingsFile } from './typings.ts';

const REFERENCE = /^\/\/\/\s*<reference\s+path\s*=\s*["']([^"']+)["']\s*\/>/;
/** What may stand above a reference: other comments, and `#!`. */
const COMMENT = /\s*(#!.*|\/\/.*|\/\*[\s\S]*?\*\/)/y;

export interface BoundQuestion {
  text: string;
  view: OpenProject | null;
  /** Absolute path of the adapter. */
  path: string;
  /** The service runs now. */
  javascriptService: boolean;
}

/** The file refers to the written typings, they are there and current, and the service runs. */
export function isBound({ text, view, path, javascriptService }: BoundQuestion): boolean {
  if (!javascriptService || view === null) return false;
  const file = typingsFile(view);
  const refers = references(text).some((reference) => resolve(dirname(path), reference) === file);
  return refers && areTypingsCurrent(view);
}

/** Paths of the references above the first statement: others do not count. */
function references(text: string): string[] {
  const found: string[] = [];
  COMMENT.lastIndex = 0;
  for (let match = COMMENT.exec(text); match !== null; match = COMMENT.exec(text)) {
    const path = REFERENCE.exec(match[1] ?? '')?.[1];
    if (path !== undefined) found.push(path);
  }
  return found;
}
