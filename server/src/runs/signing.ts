/** Signing a qualification: nonces before the runs, a verdict file after them, and each trouble said once. */
import { version } from '../../../package.json';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import type { Shard } from '../../../shared/src/evidence/shard.ts';
import type { VerdictEnvironment, VerdictInputs } from '../../../shared/src/evidence/statement.ts';
import { emitPaper } from '../../../shared/src/examPaper.ts';
import type { ProbeAnswer } from '../../../shared/src/probe.ts';
import { PROBE_VERSION } from '../../../shared/src/probeRules.ts';
import type { AdapterResult, ClockKind, EngineFacts } from '../../../shared/src/results.ts';
import type {
  GradedHandIn,
  SignAnswer,
  SignExamParams,
  SignParams,
  SignProbeParams,
} from '../../../shared/src/signerProtocol.ts';
import { emitClient } from '../../../shared/src/surface/client.ts';
import type { UsableProject } from '../workspace/usable.ts';
import type { Grading } from './exam.ts';
import { NotSigned, SignerProcess } from './signerProcess.ts';

/** One adapter's runs and what they ran in. */
export interface ToSign {
  project: UsableProject;
  /** Absolute path of the adapter. */
  path: string;
  clock: ClockKind;
  engine: EngineFacts;
  result: AdapterResult;
  /** The result is one part of what was asked for. */
  shard?: Shard;
  /** As many as scenarios were asked for. */
  nonces: string[];
}

/** One probe that was made, and the project that it was made for. */
export interface ProbeToSign {
  project: UsableProject;
  answer: Extract<ProbeAnswer, { ok: true }>;
  nonce: string;
}

/** One exam that came to its end. */
export interface ExamToSign {
  grading: Grading;
  engine: EngineFacts;
  handIns: GradedHandIn[];
  run: SignExamParams['run'];
}

/** Whom it tells. */
export interface SigningListener {
  /** Something that the signer noticed and that changes nothing. */
  note(text: string): void;
  /** Something that was to be signed is not, and what to do. */
  failed(text: string): void;
}

export class Signing {
  readonly #signer: SignerProcess;
  readonly #listener: SigningListener;
  #unusable = false;
  /** Whether something that was to be signed is not. */
  failed = false;

  /**
   * @param script the bundled signer
   * @param keyFile path of the key file; empty: the person's own place
   */
  constructor(script: string, listener: SigningListener, keyFile = '') {
    this.#signer = new SignerProcess(script, keyFile);
    this.#listener = listener;
  }

  /** Nonces for the runs of one adapter; null where nothing can be signed, which is said once. */
  async nonces(count: number): Promise<string[] | null> {
    if (this.#unusable) return null;
    try {
      return await this.#signer.nonces(count);
    } catch (error) {
      if (!(error instanceof NotSigned)) throw error;
      this.#unusable = true;
      this.#say(`no verdict file is written: ${error.message}`);
      return null;
    }
  }

  /** The result with its verdict file, or as it was where nothing was written, which is said. */
  async sign(work: ToSign): Promise<AdapterResult> {
    const params = await paramsOf(work);
    if (params.runs.length === 0) return work.result;
    const verdictFile = await this.#written(work.result.file, () => this.#signer.sign(params));
    return verdictFile === null ? work.result : { ...work.result, verdictFile };
  }

  /** The path of the file that a probe was signed in, or null where nothing was written, which is said. */
  async signProbe(work: ProbeToSign): Promise<string | null> {
    const params = await probeParamsOf(work);
    return this.#written('the probe', () => this.#signer.signProbe(params));
  }

  /** The path of the file that an exam was signed in, or null where nothing was written, which is said. */
  async signExam(work: ExamToSign): Promise<string | null> {
    const params = await examParamsOf(work);
    return this.#written('the exam', () => this.#signer.signExam(params));
  }

  async #written(what: string, ask: () => Promise<SignAnswer>): Promise<string | null> {
    try {
      const answer = await ask();
      if (!answer.signed) throw new NotSigned(answer.reason);
      for (const note of answer.notes) this.#listener.note(note);
      return answer.verdictFile;
    } catch (error) {
      if (!(error instanceof NotSigned)) throw error;
      this.impossible(what, error.message);
      return null;
    }
  }

  /** Says that what was to be signed cannot be. */
  impossible(what: string, why: string): void {
    this.#say(`no verdict file is written for ${what}: ${why}`);
  }

  stop(): Promise<void> {
    return this.#signer.stop();
  }

  #say(text: string): void {
    this.failed = true;
    this.#listener.failed(text);
  }
}

async function paramsOf({
  project,
  path,
  clock,
  engine,
  result,
  shard,
  nonces,
}: ToSign): Promise<SignParams> {
  const { folder, contract } = project;
  return {
    folder,
    adapter: path,
    sha256: result.sha256,
    contract,
    ...(shard === undefined ? {} : { shard }),
    inputs: { ...(await projectInputs(project)), ...engineInputs(engine) },
    seed: result.seed,
    environment: environmentOf(engine, clock),
    runs: result.runs.flatMap((run, index) => {
      const { startedAt, endedAt, verdict } = run;
      const nonce = nonces[index];
      if (verdict === 'not_run' || !startedAt || !endedAt || nonce === undefined) return [];
      return [{ result: run, nonce, startedAt, endedAt }];
    }),
  };
}

function environmentOf(engine: EngineFacts, clock: ClockKind): VerdictEnvironment {
  const { name, runtime, tier, limits, cannot } = engine;
  return {
    engine: { name, version: engine.version },
    ...{ runtime, tier, clock, limits, cannot, loadline: version },
  };
}

async function examParamsOf({ grading, engine, handIns, run }: ExamToSign): Promise<SignExamParams> {
  const { project, contract, handedIn, limit, seeds } = grading;
  const paper = await sha256(emitPaper(contract, project.surface));
  return {
    ...{ folder: project.folder, graded: handedIn.folder, run, limit, seeds, handIns },
    inputs: { ...(await projectInputs(project)), ...engineInputs(engine), paper },
    environment: environmentOf(engine, 'virtual'),
    refused: handedIn.refused,
  };
}

async function probeParamsOf({ project, answer, nonce }: ProbeToSign): Promise<SignProbeParams> {
  const { engine, result, evidence, digests, startedAt, endedAt } = answer;
  const { contract: _, ...inputs } = await projectInputs(project);
  const { name, limits, cannot } = engine;
  return {
    folder: project.folder,
    inputs: { ...inputs, ...engineInputs(engine), ...digests, rules: PROBE_VERSION },
    environment: {
      ...{ engine: { name, version: engine.version }, limits, cannot, loadline: version },
      ...{ runtime: result.runtime, tier: result.tier },
    },
    run: { nonce, startedAt, endedAt },
    evidence,
    outcome: {
      verdict: result.verdict,
      held: result.rules.filter(({ held }) => held).map(({ id }) => id),
    },
  };
}

type ProjectInputs = Pick<VerdictInputs, 'document' | 'grant' | 'config' | 'contract' | 'client'>;

/** The inputs that are known without an engine. */
async function projectInputs({ surface, contract, config }: UsableProject): Promise<ProjectInputs> {
  const { document, grant } = surface.digests;
  const client = await sha256(emitClient(surface));
  return { document, grant, config, contract: contractById(contract)?.version ?? contract, client };
}

function engineInputs({ guestDigest, baseId }: EngineFacts): Pick<VerdictInputs, 'guest' | 'base'> {
  return { guest: guestDigest, base: baseId };
}

/** All inputs that do not differ from run to run; those of the engine where one is known. */
export async function knownInputs(
  project: UsableProject,
  engine: EngineFacts | null,
): Promise<ProjectInputs & Partial<ReturnType<typeof engineInputs>>> {
  return { ...(await projectInputs(project)), ...(engine === null ? {} : engineInputs(engine)) };
}
