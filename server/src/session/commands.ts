/** The commands `loadline.server.*`: each takes one object and gives one answer. */
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { version } from '../../../package.json';
import { type AtHand, type VerifyResult, verifyBytes } from '../../../shared/src/evidence/verify.ts';
import { practiceScenario } from '../../../shared/src/exam.ts';
import { emitPaper } from '../../../shared/src/examPaper.ts';
import {
  COMMANDS,
  type ExploreCommandParams,
  type GradeCommandParams,
  type NewAdapterParams,
  type QualifyCommandParams,
  type RunStarted,
  type ShowGrantParams,
  type TextAnswer,
  type UriParams,
} from '../../../shared/src/protocol.ts';
import { sarifText } from '../../../shared/src/reports/sarif.ts';
import { type AdapterResult, adapterVerdict } from '../../../shared/src/results.ts';
import { emitDescription } from '../../../shared/src/surface/description.ts';
import { grantPlace } from '../language/grantFeatures.ts';
import { documentOperations, newAdapter } from './newAdapter.ts';
import { pathOf } from './openProject.ts';
import type { Session } from './session.ts';
import { writeTypings } from './typings.ts';
import { bytesInside, verdictFileOf } from './verdictLines.ts';

type Command = (session: Session, params: never) => Promise<unknown>;

const TABLE: Record<string, Command> = {
  [COMMANDS.qualify]: qualify,
  [COMMANDS.qualifyAll]: async (session) => session.runs.qualifyAll(await session.targets()),
  [COMMANDS.explore]: async (session, params: ExploreCommandParams) =>
    session.runs.explore(await session.target(params.uri), params),
  [COMMANDS.probe]: async (session, params: UriParams) =>
    session.runs.probe(params, await session.project(params.uri)),
  [COMMANDS.verify]: verify,
  [COMMANDS.describe]: describe,
  [COMMANDS.examPaper]: examPaper,
  [COMMANDS.examPractice]: examPractice,
  [COMMANDS.examGrade]: examGrade,
  [COMMANDS.writeTypings]: async (session, { uri }: UriParams) => {
    if (!session.workspace.trusted())
      throw new Error('This workspace is not trusted, so no file is written.');
    return { file: writeTypings(await session.project(uri)) };
  },
  [COMMANDS.showGrant]: showGrant,
  [COMMANDS.exportSarif]: exportSarif,
  [COMMANDS.exportKeys]: (session) =>
    session.runs.keys(async (signer) => jsonText(await signer.exportKeys())),
  [COMMANDS.rotateKey]: (session) => session.runs.keys((signer) => signer.rotateKey()),
  [COMMANDS.documentOperations]: async (_session, params: UriParams) => documentOperations(params),
  [COMMANDS.newAdapter]: async (session, params: NewAdapterParams) => {
    if (!session.workspace.trusted())
      throw new Error('This workspace is not trusted, so no file is written.');
    return newAdapter(params);
  },
};

export const COMMAND_NAMES: readonly string[] = Object.keys(TABLE);

/** @throws Error with a sentence for people */
export async function runCommand(session: Session, name: string, params: unknown): Promise<unknown> {
  const command = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  if (command === undefined) throw new Error(`There is no command ${name}.`);
  return command(session, (params ?? {}) as never);
}

async function qualify(session: Session, params: QualifyCommandParams): Promise<RunStarted> {
  return session.runs.qualify(await session.target(params.uri), params);
}

async function describe(session: Session, { uri }: UriParams): Promise<TextAnswer> {
  const { project } = await session.project(uri);
  if (project.surface === null)
    throw new Error('There is no client to describe: loadline.json, the document or the grant has errors.');
  return { text: emitDescription(project.surface) };
}

async function examPaper(session: Session, { uri }: UriParams): Promise<TextAnswer> {
  const { project, contract } = await session.project(uri);
  if (project.surface === null || contract === null)
    throw new Error('There is no exam here: loadline.json, the document or the grant has errors.');
  return { text: emitPaper(contract, project.surface) };
}

async function examPractice(session: Session, { uri }: UriParams): Promise<RunStarted> {
  const target = await session.target(uri);
  const { contract } = target.project;
  const scenario = contract === null ? undefined : practiceScenario(contract);
  return session.runs.qualify(target, {
    uri,
    draft: true,
    ...(scenario === undefined ? {} : { scenarios: [scenario] }),
  });
}

/** The project is that of a file in the folder, as hand-ins are. */
async function examGrade(session: Session, params: GradeCommandParams): Promise<RunStarted> {
  const folder = pathOf(params.uri);
  if (folder === null) throw new Error('Only a folder on this disk can be graded.');
  const project = await session.project(pathToFileURL(join(folder, 'hand-in.js')).href);
  return session.runs.grade(params, folder, project);
}

async function showGrant(session: Session, { uri, operation: name }: ShowGrantParams): Promise<void> {
  const project = await session.project(uri);
  await session.show(grantPlace(project, name));
}

/** Of a verdict file itself, or of the one beside an adapter. */
async function verify(session: Session, { uri }: UriParams): Promise<VerifyResult & { file: string }> {
  const path = pathOf(uri);
  if (path === null) throw new Error('Only a file can be verified.');
  const file = path.endsWith('.verdicts.jsonl') ? path : verdictFileOf(path);
  const bytes = await bytesInside(dirname(file), basename(file));
  if (bytes === undefined)
    throw new Error(`There is no verdict file ${file} yet; qualify the adapter first.`);
  const atHand = await atHandOf(session, uri, file);
  return { file, ...(await verifyBytes(bytes, { atHand })) };
}

/** The files of today that verdicts are compared with, as far as a project governs them. */
async function atHandOf(session: Session, uri: string, file: string): Promise<AtHand> {
  const project = await session.project(uri).catch(() => null);
  if (project === null) return {};
  const adapter = project.adapters().find((each) => verdictFileOf(join(project.folder, each)) === file);
  const { grant, openapi } = project.project.config ?? {};
  const names = { adapter, config: 'loadline.json', grant, document: openapi };
  const found = await Promise.all(
    Object.entries(names).map(async ([key, name]) => {
      const bytes = name === undefined ? undefined : await bytesInside(project.folder, name);
      return bytes === undefined ? [] : [[key, bytes] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** SARIF of what is known of one adapter, as `qualify --sarif` writes it. */
async function exportSarif(session: Session, { uri }: UriParams): Promise<TextAnswer> {
  const { results, file, project } = await session.target(uri);
  await results.refresh(file);
  const runs = results.scenarios(file).flatMap(({ result }) => (result === undefined ? [] : [result]));
  if (runs.length === 0) throw new Error(`${file} has not run yet, so there is nothing to export.`);
  const scenarios = project.contract?.scenarios.map(({ id }) => id) ?? [];
  const adapter: AdapterResult = {
    file,
    sha256: results.digestOf(file),
    contract: project.contract?.id ?? '',
    seed: 0,
    verdict: adapterVerdict(runs, scenarios),
    verdictFile: null,
    runs,
  };
  return { text: sarifText({ loadline: version, engine: null, adapters: [adapter] }, { version }) };
}

function jsonText(value: unknown): TextAnswer {
  return { text: `${JSON.stringify(value, null, 2)}\n` };
}
