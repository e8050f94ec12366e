/** The typings on disk, by which the editor's own JavaScript service knows the client. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emitTypings } from '../../../shared/src/surface/typings.ts';
import type { OpenProject } from './openProject.ts';

const FOLDER = '.loadline';

/** Path of the written typings; null: loadline.json is not usable. */
export function typingsFile({ folder, project }: OpenProject): string | null {
  const client = project.config?.client;
  return client === undefined ? null : join(folder, FOLDER, `${client}.d.ts`);
}

/** The text that the file has to have; a header names its digest. */
export function typingsText({ project, contract }: OpenProject): string {
  const { surface } = project;
  if (surface === null) return '';
  const text = [emitTypings(surface), contract?.typings(surface) ?? ''].join('\n');
  const digest = createHash('sha256').update(text).digest('hex');
  return `// Written by Loadline from the vendor document and the grant; it is written again when they change. sha256:${digest}\n${text}`;
}

/** Writes the typings, whole or not at all; gives their path. @throws Error with a sentence */
export function writeTypings(view: OpenProject): string {
  const file = typingsFile(view);
  if (file === null || view.project.surface === null)
    throw new Error('The typings are not written: loadline.json, the document or the grant has errors.');
  mkdirSync(dirname(file), { recursive: true });
  const ignore = join(dirname(file), '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  const made = `${file}.${process.pid}.tmp`;
  writeFileSync(made, typingsText(view));
  renameSync(made, file);
  return file;
}

/** Those that are there are kept current. */
export function refreshTypings(view: OpenProject): void {
  const file = typingsFile(view);
  if (file === null || view.project.surface === null || !existsSync(file)) return;
  if (readFileSync(file, 'utf8') !== typingsText(view)) writeTypings(view);
}
