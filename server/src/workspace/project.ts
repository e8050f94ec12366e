/** A folder with a loadline.json as one immutable snapshot: configuration, grant, and the surface of grant and document. */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Diagnostic, Surface } from '../../../shared/src/surface/surface.ts';
import type { Grant } from '../grant/grant.ts';
import { parseGrant } from '../grant/parse.ts';
import { type LoadedDocument, loadDocument } from '../openapi/document.ts';
import { FileRefused } from '../openapi/files.ts';
import { Findings } from '../openapi/findings.ts';
import type { ApiDocument } from '../openapi/model.ts';
import { buildSurface } from '../surface/build.ts';
import { CONFIG_FILE, type ParsedConfig, type ProjectConfig, parseConfig } from './config.ts';
import { ConfinedFiles, type FileLimits, sha256 } from './files.ts';

export interface Digests {
  /** sha256 hex of the bytes; of a document in several files, of the list of their digests and names. */
  document: string;
  grant: string;
  config: string;
}

/** Plain values alone: it crosses from the thread that reads it. */
export interface Project {
  /** Real path. */
  readonly folder: string;
  readonly configFile: string;
  /** `null`: loadline.json has errors. */
  readonly config: ProjectConfig | null;
  /** Files that the document is in, relative with `/`, the one that loadline.json names first. Empty: there is none. */
  readonly documentFiles: readonly string[];
  readonly grant: Grant | null;
  /** `null`: there is no document or no grant to make it from. */
  readonly surface: Surface | null;
  /** By file and place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Empty where the file could not be read. */
  readonly digests: Digests;
  /** Every file that was read for the snapshot, relative with `/`, and its sha256 hex. */
  readonly fileDigests: ReadonlyMap<string, string>;
}

export interface ProjectOptions {
  /** Whether the workspace is trusted: only then are regular expressions of the document compiled. Default false. */
  trusted?: boolean;
  /** Unsaved text of open files, by path relative to the project folder. */
  overlay?: ReadonlyMap<string, string>;
  limits?: FileLimits;
}

/** There is no loadline.json here or above. */
export class NoProject extends Error {
  constructor(start: string) {
    super(
      `No loadline.json governs "${start}"; put one beside the adapter (examples/fleet has one to start from).`,
    );
    this.name = 'NoProject';
  }
}

/** Path of the nearest loadline.json in the folder of `start` (a file or a folder) or above it. */
export function findConfig(start: string): string | null {
  for (let folder = folderOf(resolve(start)); ; folder = dirname(folder)) {
    const file = join(folder, CONFIG_FILE);
    if (isFile(file)) return file;
    if (dirname(folder) === folder) return null;
  }
}

/**
 * Loads the project that governs an adapter or a folder. What is wrong in its files is a diagnostic.
 * @throws NoProject
 */
export async function loadProject(start: string, options: ProjectOptions = {}): Promise<Project> {
  return new ProjectReader().read(start, options);
}

/** Reads one project again and again: its document is taken over where none of its files changed. */
export class ProjectReader {
  #last: Held | null = null;

  /** Of the newest snapshot; `null`: it has none. */
  get document(): ApiDocument | null {
    return this.#last?.document ?? null;
  }

  /** @throws NoProject */
  read(start: string, options: ProjectOptions = {}): Project {
    const configFile = findConfig(start);
    if (configFile === null) throw new NoProject(start);
    const files = new ConfinedFiles(dirname(configFile), options);
    const { project, document } = snapshot(files, configFile, { ...options, held: this.#last });
    this.#last = document && { folder: project.folder, document, fileDigests: project.fileDigests };
    return project;
  }
}

/** A document as it was read, and the digests of the files that it was read from. */
interface Held extends Pick<Project, 'folder' | 'fileDigests'> {
  document: ApiDocument;
}

interface SnapshotOptions extends ProjectOptions {
  held: Held | null;
}

function snapshot(
  files: ConfinedFiles,
  configFile: string,
  options: SnapshotOptions,
): { project: Project; document: ApiDocument | null } {
  const findings = new Findings();
  const parsed = readConfig(files, findings);
  const config = parsed?.config ?? null;
  const grant = parsed && config ? readGrant(files, parsed, config, findings) : null;
  const loaded = parsed && config ? readDocument(files, parsed, config, options, findings) : null;
  const document = loaded?.document ?? null;
  const built = document && grant && config ? buildSurface({ document, grant, client: config.client }) : null;
  findings.addAll(built?.diagnostics ?? [...(loaded?.diagnostics ?? []), ...(grant?.diagnostics ?? [])]);
  const documentFiles = built?.files ?? document?.files ?? [];
  const digests = digestsOf(files, documentFiles, grant);
  const project = Object.freeze({
    folder: files.folder,
    configFile,
    config,
    documentFiles,
    grant,
    surface: built && { ...built.surface, digests: { document: digests.document, grant: digests.grant } },
    diagnostics: Object.freeze(findings.list()),
    digests: Object.freeze(digests),
    fileDigests: new Map([...files.filesRead()].map(([file, read]) => [file, read.sha256])),
  });
  return { project, document };
}

function readConfig(files: ConfinedFiles, findings: Findings): ParsedConfig | null {
  try {
    const parsed = parseConfig(files.read(CONFIG_FILE));
    findings.addAll(parsed.diagnostics);
    return parsed;
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    const start = { line: 0, character: 0 };
    findings.add('config-unreadable', 'error', { file: CONFIG_FILE, start, end: start }, error.message);
    return null;
  }
}

function readGrant(
  files: ConfinedFiles,
  parsed: ParsedConfig,
  config: ProjectConfig,
  findings: Findings,
): Grant | null {
  const source = readNamed(files, parsed, 'grant', config.grant, findings);
  return source === null ? null : parseGrant(source.file, source.text);
}

function readDocument(
  files: ConfinedFiles,
  parsed: ParsedConfig,
  config: ProjectConfig,
  { trusted = false, held }: SnapshotOptions,
  findings: Findings,
): LoadedDocument | null {
  const source = readNamed(files, parsed, 'openapi', config.openapi, findings);
  if (source === null) return null;
  const known = held && unchanged(held, files, source.file, trusted);
  return known ?? loadDocument(files, source.file, { trusted });
}

/** The document of an earlier snapshot, if it would come out the same. */
function unchanged(
  { folder, document, fileDigests }: Held,
  files: ConfinedFiles,
  file: string,
  trusted: boolean,
): LoadedDocument | undefined {
  if (folder !== files.folder) return undefined;
  const { references } = document;
  if (document.file !== file || document.trusted !== trusted || !references.complete()) return undefined;
  try {
    const same = references.held().every((held) => files.readFile(held).sha256 === fileDigests.get(held));
    if (!same) return undefined;
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return undefined;
  }
  references.restart(document.files, files);
  return { document, diagnostics: [...document.diagnostics] };
}

/** A file that loadline.json names: where it cannot be read, the diagnostic stands at the name. */
function readNamed(
  files: ConfinedFiles,
  parsed: ParsedConfig,
  key: 'openapi' | 'grant',
  path: string,
  findings: Findings,
): ReturnType<ConfinedFiles['read']> | null {
  try {
    return files.read(path);
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    findings.add('config-file', 'error', parsed.rangeOf(key), error.message);
    return null;
  }
}

function digestsOf(files: ConfinedFiles, documentFiles: readonly string[], grant: Grant | null): Digests {
  const read = files.filesRead();
  const digest = (file: string): string => read.get(file)?.sha256 ?? '';
  return {
    document: documentFiles.length > 0 ? documentDigest(documentFiles, digest) : '',
    grant: grant ? digest(grant.file) : '',
    config: digest(CONFIG_FILE),
  };
}

/** One file: its own digest. Several: that of `<digest>  <file>` lines in the order of names. */
export function documentDigest(files: readonly string[], digest: (file: string) => string): string {
  const [only, ...more] = files;
  if (only !== undefined && more.length === 0) return digest(only);
  return sha256(
    [...files]
      .sort()
      .map((file) => `${digest(file)}  ${file}\n`)
      .join(''),
  );
}

function folderOf(path: string): string {
  try {
    return statSync(path).isDirectory() ? path : dirname(path);
  } catch {
    return dirname(path);
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
