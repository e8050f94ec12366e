/** Signing as `qualify` does it: nonces before the runs, a verdict file after them, and each trouble said once. */
import { join, relative } from 'node:path';
import { version } from '../../../package.json';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { sha256 } from '../../../shared/src/evidence/digest.ts';
import type { AdapterResult, ClockKind, EngineFacts } from '../../../shared/src/results.ts';
import type { SignParams } from '../../../shared/src/signerProtocol.ts';
import { emitClient } from '../../../shared/src/surface/client.ts';
import { terminalText } from '../../../shared/src/text.ts';
import { NotSigned, SignerProcess } from '../runs/signerProcess.ts';
import type { UsableProject } from './project.ts';

/** One adapter's runs and what they ran in. */
export interface ToSign {
  project: UsableProject;
  /** Absolute path of the adapter. */
  path: string;
  clock: ClockKind;
  engine: EngineFacts;
  result: AdapterResult;
  /** As many as scenarios were asked for. */
  nonces: string[];
}

export class Signing {
  readonly #signer: SignerProcess;
  #unusable = false;
  /** Whether something that was to be signed is not. */
  failed = false;

  constructor(script: string) {
    this.#signer = new SignerProcess(script);
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
    try {
      const answer = await this.#signer.sign(params);
      if (!answer.signed) throw new NotSigned(answer.reason);
      for (const note of answer.notes) process.stderr.write(`${terminalText(note)}\n`);
      return { ...work.result, verdictFile: fromHere(answer.verdictFile) };
    } catch (error) {
      if (!(error instanceof NotSigned)) throw error;
      this.#say(`no verdict file is written for ${work.result.file}: ${error.message}`);
      return work.result;
    }
  }

  stop(): Promise<void> {
    return this.#signer.stop();
  }

  #say(text: string): void {
    this.failed = true;
    process.stderr.write(`loadline: ${terminalText(text)}\n`);
  }
}

async function paramsOf({ project, path, clock, engine, result, nonces }: ToSign): Promise<SignParams> {
  const { surface, folder, contract, config } = project;
  const { name, runtime, tier, limits, cannot } = engine;
  return {
    folder,
    adapter: path,
    sha256: result.sha256,
    contract,
    inputs: {
      document: surface.digests.document,
      grant: surface.digests.grant,
      config,
      contract: contractById(contract)?.version ?? contract,
      client: await sha256(emitClient(surface)),
      guest: engine.guestDigest,
      base: engine.baseId,
    },
    seed: result.seed,
    environment: {
      engine: { name, version: engine.version },
      runtime,
      tier,
      clock,
      limits,
      cannot,
      loadline: version,
    },
    runs: result.runs.flatMap((run, index) => {
      const { startedAt, endedAt, verdict } = run;
      const nonce = nonces[index];
      if (verdict === 'not_run' || !startedAt || !endedAt || nonce === undefined) return [];
      return [{ result: run, nonce, startedAt, endedAt }];
    }),
  };
}

/** Relative where that is shorter to read: inside of the working directory. */
function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

/** The bundled signer beside this script. */
export function signerScript(): string {
  return join(__dirname, 'signer.js');
}
