/** The runner as its callers see it: a child process that is started on demand and whose death is an answer too. */
import { ErrorCodes, type MessageConnection, ResponseError } from 'vscode-jsonrpc/node';
import type { ProbeAnswer, ProbeParams } from '../../../shared/src/probe.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import {
  type AdapterParams,
  type ExploreAnswer,
  type ExploreParams,
  type ProgressParams,
  type QualifyAnswer,
  type QualifyParams,
  RUNNER_METHODS,
  type ScenarioParams,
  type TrialParams,
  type TrialsAnswer,
  type TrialsParams,
} from '../../../shared/src/runnerProtocol.ts';
import { type Child, startChild } from './child.ts';

/** What the runner may know of the caller's environment: how to find the engine, nothing else. */
const ENVIRONMENT = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'TMPDIR',
  'TEMP',
  'LANG',
  'LOCALAPPDATA',
  'SystemRoot',
  'USER',
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_TLS',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'SSH_AUTH_SOCK',
  'XDG_RUNTIME_DIR',
  'XDG_CACHE_HOME',
];
const HEAP_MB = 512;

export interface RunListener {
  progress?(text: string): void;
  /** Something is wrong with an engine, and the request goes on without it. */
  trouble?(text: string): void;
  scenario?(params: ScenarioParams): void;
  trial?(params: TrialParams): void;
}

/** The runner ended while it was needed. `ended`: results of scenarios that were over by then. */
export class RunnerDied extends Error {
  readonly ended: RunResult[];

  constructor(message: string, ended: RunResult[]) {
    super(message);
    this.ended = ended;
  }
}

export class RunnerProcess {
  readonly #script: string;
  readonly #listeners = new Map<string, RunListener & { ended: RunResult[] }>();
  #child: Child | null = null;

  /** `script`: the bundled runner. */
  constructor(script: string) {
    this.#script = script;
  }

  /** Process id of the runner, or null where none runs. */
  get pid(): number | null {
    return this.#child?.process.pid ?? null;
  }

  /** Runs one qualification. Throws RunnerDied where the runner ended first. */
  qualify(params: QualifyParams, listener: RunListener): Promise<QualifyAnswer> {
    return this.#request<QualifyAnswer>(RUNNER_METHODS.qualify, params, listener);
  }

  /** Runs trials of one adapter. Throws RunnerDied where the runner ended first. */
  trials(params: TrialsParams, listener: RunListener): Promise<TrialsAnswer> {
    return this.#request<TrialsAnswer>(RUNNER_METHODS.trials, params, listener);
  }

  /** Explores fault schedules. Throws RunnerDied where the runner ended first. */
  explore(params: ExploreParams, listener: RunListener): Promise<ExploreAnswer> {
    return this.#request<ExploreAnswer>(RUNNER_METHODS.explore, params, listener);
  }

  /** Probes the sandbox's boundary. Throws RunnerDied where the runner ended first. */
  probe(params: ProbeParams, listener: RunListener): Promise<ProbeAnswer> {
    return this.#request<ProbeAnswer>(RUNNER_METHODS.probe, params, listener);
  }

  async #request<Answer>(
    method: string,
    params: Pick<AdapterParams, 'run'>,
    listener: RunListener,
  ): Promise<Answer> {
    const child = this.#started();
    const ended: RunResult[] = [];
    this.#listeners.set(params.run, { ...listener, ended });
    try {
      const died = child.died.then((why) => {
        throw new RunnerDied(why, ended);
      });
      const answer = ask<Answer>(child.connection, method, params);
      return await Promise.race([answer.catch((error) => (isAnswer(error) ? answer : died)), died]);
    } finally {
      this.#listeners.delete(params.run);
    }
  }

  /** Ends a request; its answer comes with the scenarios or trials that were over. */
  cancel(run: string): void {
    const connection = this.#child?.connection;
    // A runner that is gone has nothing left to end.
    if (connection) tell(connection, RUNNER_METHODS.cancel, { run }).catch(() => undefined);
  }

  /** Lets the runner remove its containers and end. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    child.process.stdin?.end();
    await child.died;
  }

  #started(): Child {
    if (this.#child) return this.#child;
    const child = startChild({
      name: 'runner',
      script: this.#script,
      nodeArguments: [`--max-old-space-size=${HEAP_MB}`],
      environment: ENVIRONMENT,
    });
    const { connection, died } = child;
    connection.onNotification(RUNNER_METHODS.progress, ({ run, text, trouble }: ProgressParams) => {
      const listener = this.#listeners.get(run);
      if (trouble) listener?.trouble?.(text);
      else listener?.progress?.(text);
    });
    connection.onNotification(RUNNER_METHODS.scenario, (params: ScenarioParams) => {
      const listener = this.#listeners.get(params.run);
      if (params.result) listener?.ended.push(params.result);
      listener?.scenario?.(params);
    });
    connection.onNotification(RUNNER_METHODS.trial, (params: TrialParams) =>
      this.#listeners.get(params.run)?.trial?.(params),
    );
    connection.listen();
    this.#child = child;
    void died.then(() => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }
}

/** A connection that is closed throws at once; here it rejects, as one that closes in the middle does. */
async function ask<Answer>(connection: MessageConnection, method: string, params: object): Promise<Answer> {
  return connection.sendRequest<Answer>(method, params);
}

async function tell(connection: MessageConnection, method: string, params: object): Promise<void> {
  return connection.sendNotification(method, params);
}

/** Whether the runner itself said that it failed. All other errors come of its end, and its exit tells more. */
function isAnswer(error: unknown): boolean {
  const closed: number[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.MessageWriteError];
  return error instanceof ResponseError && !closed.includes(error.code);
}
