/** An exam from the folder of hand-ins to the signed line, for whoever asks: command line or language server. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import { examSeeds } from '../../../shared/src/evidence/seed.ts';
import {
  heldBack,
  inOrder,
  isHandIn,
  judgeExam,
  MOST_HAND_INS,
  type RefusedHandIn,
  withinLimit,
} from '../../../shared/src/exam.ts';
import type { EngineFacts, RunResult } from '../../../shared/src/results.ts';
import type { SandboxOptions } from '../../../shared/src/runnerProtocol.ts';
import type { GradedHandIn } from '../../../shared/src/signerProtocol.ts';
import { AdapterUnreadable, readAdapter } from '../workspace/adapterFile.ts';
import type { UsableProject } from '../workspace/usable.ts';
import { CANCELLED, notRun, type Qualification, qualifyAdapter } from './qualification.ts';
import type { RunnerProcess } from './runnerProcess.ts';
import type { Signing } from './signing.ts';

/** The folder cannot be graded; the message says what to do. */
export class NotGradable extends Error {}

export interface HandedIn {
  /** Real path of the folder. */
  folder: string;
  files: string[];
  refused: RefusedHandIn[];
}

export interface Grading {
  /** Of the graded folder: a loadline.json that an author hands in governs nothing. */
  project: UsableProject;
  contract: Contract;
  handedIn: HandedIn;
  /** Hand-ins of one author that are graded. */
  limit: number;
  /** How many. */
  seeds: number;
  jobs?: number;
  /** Engines that share the runs; none: the one that docker's own client finds. */
  hosts: readonly string[];
  sandbox: SandboxOptions;
}

export interface Graded {
  engine: EngineFacts | null;
  handIns: GradedHandIn[];
  refused: RefusedHandIn[];
  /** Path of the signed file; null: nothing was written. */
  examFile: string | null;
}

export interface GradingListener {
  /** What is being set up, for people. */
  progress(text: string): void;
  /** `done` of `all` runs are over; `file` is under way. */
  run(file: string, done: number, all: number): void;
}

/** What authors handed in: files one or two levels deep, never through a link. @throws NotGradable */
export async function handedIn(path: string, limit: number): Promise<HandedIn> {
  const folder = await realpath(path).catch(() => {
    throw new NotGradable(`${path} does not exist; name the folder with the hand-ins.`);
  });
  const found = await scripts(folder);
  const { graded, refused } = withinLimit(found.handIns, limit);
  if (graded.length === 0)
    throw new NotGradable(
      `${path} holds no hand-in; put them there as <author>/<name>.js or <author>.js, in letters, digits, dots, dashes and underscores.`,
    );
  if (graded.length > MOST_HAND_INS)
    throw new NotGradable(`${path} holds ${graded.length} hand-ins, and one exam takes ${MOST_HAND_INS}.`);
  const odd = found.others.map((file): RefusedHandIn => ({ file, why: 'form' }));
  return { folder, files: graded, refused: [...refused, ...odd] };
}

/** Scripts in the folder and in its folders, with `/`. */
async function scripts(folder: string): Promise<{ handIns: string[]; others: string[] }> {
  const handIns: string[] = [];
  const others: string[] = [];
  const look = async (within: string): Promise<void> => {
    const entries = await readdir(join(folder, within), { withFileTypes: true }).catch(() => {
      throw new NotGradable(`${join(folder, within)} cannot be read as a folder.`);
    });
    for (const entry of entries) {
      const file = `${within}${entry.name}`;
      if (entry.isDirectory() && within === '' && entry.name !== '.loadline') await look(`${file}/`);
      else if (!entry.name.endsWith('.js')) continue;
      else if (entry.isFile() && isHandIn(file)) handIns.push(file);
      else others.push(file);
    }
  };
  await look('');
  return { handIns, others: inOrder(others) };
}

/**
 * Runs every hand-in over the scenarios held back, under seeds that are drawn now. Never throws for what a hand-in does.
 * `signing` null: nothing is written. Where `signal` ends it before its end, nothing is signed.
 */
export async function grade(
  { runner, signing }: { runner: RunnerProcess; signing: Signing | null },
  grading: Grading,
  listener: GradingListener,
  signal: AbortSignal,
): Promise<Graded> {
  const { handedIn: folder, contract, seeds: count } = grading;
  const [nonce] = (await signing?.nonces(1)) ?? [];
  const drawn = nonce ?? randomBytes(16).toString('base64url');
  const seeds = await examSeeds(drawn, contract.version, count);
  const startedAt = new Date().toISOString();
  const all = folder.files.length * seeds.length * heldBack(contract).length;
  const session: Session = { runner, grading, listener, signal, engine: null, done: 0, all };
  const handIns: GradedHandIn[] = [];
  for (const file of folder.files) handIns.push(await gradedHandIn(session, file, seeds));
  const { engine } = session;
  const graded = { engine, handIns, refused: folder.refused, examFile: null };
  if (signing === null || nonce === undefined || signal.aborted) return graded;
  if (engine === null) {
    signing.impossible('the exam', 'no hand-in ran, since the engine or the runner failed.');
    return graded;
  }
  const run = { nonce, startedAt, endedAt: new Date().toISOString() };
  return { ...graded, examFile: await signing.signExam({ grading, engine, handIns, run }) };
}

/** What the hand-ins of one exam share. */
interface Session {
  runner: RunnerProcess;
  grading: Grading;
  listener: GradingListener;
  signal: AbortSignal;
  engine: EngineFacts | null;
  done: number;
  all: number;
}

async function gradedHandIn(session: Session, file: string, seeds: readonly number[]): Promise<GradedHandIn> {
  const { project, handedIn: folder, contract } = session.grading;
  const path = join(folder.folder, file);
  const digest = await digestOf(project.folder, path);
  const runs: RunResult[] = [];
  if (digest === null) session.done += seeds.length * heldBack(contract).length;
  else for (const seed of seeds) runs.push(...(await runsUnder(session, { file, path, seed, digest })));
  session.listener.run(file, session.done, session.all);
  return { file, sha256: digest, runs };
}

/** Null: it cannot be read as an adapter. */
async function digestOf(folder: string, path: string): Promise<string | null> {
  try {
    return await sha256(Uint8Array.from(await readAdapter(folder, path)));
  } catch (error) {
    if (error instanceof AdapterUnreadable) return null;
    throw error;
  }
}

interface Round {
  file: string;
  path: string;
  seed: number;
  /** Of the bytes that are graded. */
  digest: string;
}

async function runsUnder(session: Session, { file, path, seed, digest }: Round): Promise<RunResult[]> {
  const { runner, grading, listener, signal } = session;
  const { project, contract, hosts, sandbox, jobs } = grading;
  const job: Qualification = {
    ...{ run: randomUUID(), file, path, project, seed, hosts, sandbox, clock: 'virtual' },
    scenarios: heldBack(contract),
    ...(jobs === undefined ? {} : { jobs }),
  };
  if (signal.aborted) return notRun(job, CANCELLED).runs;
  const { engine, result } = await qualifyAdapter(
    { runner, signing: null },
    job,
    {
      progress: (text) => listener.progress(text),
      scenario: ({ state }) => {
        if (state === 'ended') session.done += 1;
        listener.run(file, session.done, session.all);
      },
    },
    signal,
  );
  session.engine ??= engine;
  if (engine === null || result.sha256 === digest) return result.runs;
  const message = `${file} changed while it was graded; what ran was not what was handed in.`;
  return notRun(job, { reason: 'adapter', message, mayHaveRun: true }).runs;
}

/** The marks that follow, as the signer will have them. */
export function marksOf({ handIns }: Pick<Graded, 'handIns'>): ReturnType<typeof judgeExam> {
  return judgeExam({
    handIns: handIns.map(({ file, sha256: digest, runs }) => ({
      ...{ file, sha256: digest, checkpoint: '' },
      runs: runs.map(({ scenario, verdict }) => ({
        ...{ scenario, verdict, seed: 0, broken: [], evidence: null },
      })),
    })),
  });
}
