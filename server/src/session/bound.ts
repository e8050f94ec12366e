/** Whether the editor's own JavaScript service speaks about a file in full. The one place that decides it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { OpenProject } from './openProject.ts';
import { typingsFile, typingsText } from './typings.ts';

const REFERENCE = /^\s*\/\/\/\s*<reference\s+path\s*=\s*["']([^"']+)["']\s*\/>/gm;
/** References count only before the first statement; a few KB hold any head. */
const HEAD = 4096;

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
  const { surface } = view.project;
  const file = typingsFile(view);
  if (surface === null || file === null || !existsSync(file)) return false;
  const refers = [...text.slice(0, HEAD).matchAll(REFERENCE)].some(
    ([, reference]) => reference !== undefined && resolve(dirname(path), reference) === file,
  );
  return refers && readFileSync(file, 'utf8') === typingsText(view);
}
