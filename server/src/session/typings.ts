/** The typings of client and contract: what the editor's own JavaScript service reads, on disk or as a virtual text. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import { emitTypings } from '../../../shared/src/surface/typings.ts';
import type { OpenProject } from './openProject.ts';

const FOLDER = '.loadline';
const HEADER =
  '// Written by Loadline from the vendor document and the grant; it is written again when they change.';

type Typed = Pick<OpenProject, 'folder' | 'project' | 'contract'>;

/** Made once for each surface: the decision who speaks about a file asks for it at every key. */
const texts = new WeakMap<Surface, string>();

/** Path of the written typings; null: loadline.json is not usable. */
export function typingsFile({ folder, project }: Typed): string | null {
  const client = project.config?.client;
  return client === undefined ? null : join(folder, FOLDER, `${client}.d.ts`);
}

/** The text that the file has to have; a header names its digest. Empty: there is nothing to make it from. */
export function typingsText({ project, contract }: Typed): string {
  const { surface } = project;
  if (surface === null) return '';
  const known = texts.get(surface);
  if (known !== undefined) return known;
  const text = [emitTypings(surface), contract?.typings(surface) ?? ''].join('\n');
  const digest = createHash('sha256').update(text).digest('hex');
  const made = `${HEADER} sha256:${digest}\n${text}`;
  texts.set(surface, made);
  return made;
}

/** Whether the file is there, a file of its own, and has the text that it has to have. */
export function areTypingsCurrent(view: Typed): boolean {
  const file = typingsFile(view);
  return file !== null && view.project.surface !== null && writtenText(file) === typingsText(view);
}

/** Writes the typings, whole or not at all; gives their path. @throws Error with a sentence */
export function writeTypings(view: Typed): string {
  const file = typingsFile(view);
  if (file === null || view.project.surface === null)
    throw new Error('The typings are not written: loadline.json, the document or the grant has errors.');
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  if (realpathSync.native(folder) !== join(realpathSync.native(view.folder), FOLDER))
    throw new Error(`The typings are not written: ${folder} is a link; remove it.`);
  makeNew(join(folder, '.gitignore'), '*\n');
  const made = `${file}.${process.pid}.tmp`;
  writeFileSync(made, typingsText(view), { flag: 'wx' });
  renameSync(made, file);
  return file;
}

/** Those that are there, and are ours, are kept current. */
export function refreshTypings(view: Typed): void {
  const file = typingsFile(view);
  if (file === null || view.project.surface === null) return;
  const text = writtenText(file);
  if (text?.startsWith(HEADER) && text !== typingsText(view)) writeTypings(view);
}

function writtenText(file: string): string | null {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}

function makeNew(file: string, text: string): void {
  if (existsSync(file)) return;
  const handle = openSync(file, 'wx');
  writeFileSync(handle, text);
  closeSync(handle);
}
