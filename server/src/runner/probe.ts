/** The boundary probe: what hostile code would try, tried in containers like a run's, and judged here. */
import { createHash } from 'node:crypto';
import type { Json } from '../../../shared/src/json.ts';
import {
  HELPER_NAME,
  type LookReport,
  type ProbeAnswer,
  type ProbeAttempt,
  type ProbeEvidence,
  type ProbeParams,
  type ProbeRuleId,
  type ProbeTask,
  type SyscallFilter,
  type Tried,
} from '../../../shared/src/probe.ts';
import { judgeProbe } from '../../../shared/src/probeRules.ts';
import type { SandboxOptions } from '../../../shared/src/runnerProtocol.ts';
import { emitClient } from '../../../shared/src/surface/client.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { Authority } from '../broker/credential.ts';
import { createHttpVendor } from '../broker/httpVendor.ts';
import { SANDBOX_LIMITS } from '../sandbox/limits.ts';
import { NothingRan } from '../sandbox/nothingRan.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { Interrupted } from './conductor.ts';
import { FORGED_FRAMES, forgedCalls, type NamedFrame } from './probeAttempts.ts';
import { compileHelper } from './probeHelper.ts';
import { openProbeHost, type ProbeHost } from './probeHost.ts';
import {
  isSocketCall,
  judgeArrived,
  judgeCalls,
  judgeContacts,
  judgeEnded,
  judgeFrame,
  judgeMemory,
  judgeNetwork,
  judgeProcesses,
  judgeSecrets,
  judgeSyscalls,
  judgeTried,
  marksOf,
  reportsOf,
  shownRules,
  underRule,
} from './probeJudge.ts';
import { type ListOutcome, tryList } from './probeList.ts';
import {
  oneStep,
  type ProbeRunOptions,
  type ProbeRunOutcome,
  type ProbeRunParts,
  type ProbeWalk,
  probeRun,
} from './probeRun.ts';

export interface Program {
  name: string;
  bytes: Buffer;
}

export interface ProbeRunner {
  authority: Authority;
  /** The sandbox of every run. Throws NothingRan. */
  guest(options: SandboxOptions): Promise<Sandbox>;
  /** The same with the probe's script in the guest's place, and its programs. Throws NothingRan. */
  prober(options: SandboxOptions, programs: Program[]): Promise<Sandbox>;
  /** Text of the probe's adapter. */
  adapter: string;
  /** Path of the helper's source. */
  helperSource: string;
  /** For people. */
  progress(text: string): void;
  signal: AbortSignal;
}

/** Never throws: what could not be probed is an answer with its reason. */
export async function probe(params: ProbeParams, runner: ProbeRunner): Promise<ProbeAnswer> {
  let host: ProbeHost | undefined;
  const startedAt = new Date().toISOString();
  try {
    const guest = await runner.guest(params.sandbox);
    const helper = await compileHelper(runner.helperSource, guest.facts.architecture);
    const programs = 'bytes' in helper ? [{ name: HELPER_NAME, bytes: helper.bytes }] : [];
    const prober = await runner.prober(params.sandbox, programs);
    host = await openProbeHost();
    const missing = 'missing' in helper ? helper.missing : null;
    const attack = new Attack(params.surface, runner, { guest, prober, host, missing });
    const evidence = await attack.run();
    const judgement = judgeProbe(evidence);
    const { runtime } = prober.engineFacts;
    const rules = shownRules(judgement, evidence);
    return {
      ...{ ok: true, engine: guest.engineFacts, evidence, startedAt, endedAt: new Date().toISOString() },
      result: { runtime, tier: prober.tier, verdict: judgement.verdict, rules },
      digests: {
        prober: prober.image.guestDigest,
        helper: 'bytes' in helper ? createHash('sha256').update(helper.bytes).digest('hex') : null,
      },
    };
  } catch (error) {
    return refusal(error);
  } finally {
    await host?.close();
  }
}

function refusal(error: unknown): ProbeAnswer {
  if (error instanceof NothingRan || error instanceof Interrupted)
    return { ok: false, reason: error.reason, message: error.message };
  return { ok: false, reason: 'runner', message: `The probe failed: ${(error as Error).message}` };
}

interface Field {
  guest: Sandbox;
  prober: Sandbox;
  host: ProbeHost;
  /** Why there is no helper, or null. */
  missing: string | null;
}

/** Containers at once. */
const JOBS = 2;
const NO_CLIENT = '() => ({})';

class Attack {
  readonly #surface: Surface;
  readonly #runner: ProbeRunner;
  readonly #field: Field;
  readonly #parts: ProbeRunParts;
  readonly #attempts: ProbeAttempt[] = [];
  readonly #notTried: ProbeEvidence['notTried'] = [];
  /** What the host holds and no container may. */
  readonly #secrets: string[];
  #leaks = 0;
  #runs = 0;

  constructor(surface: Surface, runner: ProbeRunner, field: Field) {
    this.#surface = surface;
    this.#runner = runner;
    this.#field = field;
    this.#secrets = [field.host.canary];
    const vendor = createHttpVendor({ origin: field.host.origin });
    this.#parts = { surface, vendor, authority: runner.authority, signal: runner.signal };
  }

  async run(): Promise<ProbeEvidence> {
    const { host, prober } = this.#field;
    try {
      await this.#adapter();
      await this.#calls();
      await this.#frames();
      await this.#limits();
      await this.#syscalls();
      await this.#look();
    } finally {
      this.#parts.vendor.close();
    }
    const history = { id: 'sent-to-the-guest', happened: true, detail: `${this.#runs} containers` };
    const leaks = Array.from({ length: this.#leaks }, () => ({
      place: history.id,
      text: this.#secrets[0] ?? '',
    }));
    this.#add('no_credential', judgeSecrets([history], leaks, this.#secrets));
    this.#add('the_vendor_saw_nothing', judgeContacts(host.contacts()));
    return {
      filter: filterOf(prober),
      attempts: this.#attempts,
      notTried: this.#notTried,
    };
  }

  async #adapter(): Promise<void> {
    this.#runner.progress('Probing the client from an adapter');
    const { operations } = this.#surface;
    const ungranted = operations.filter(({ grant }) => grant === null).map(({ name }) => name);
    const granted =
      operations.find(({ grant, method, path }) => grant && method === 'GET' && path.includes('{'))?.name ??
      null;
    if (ungranted.length === 0) this.#skip('refused_by_the_client', 'the grant leaves out no operation');
    if (granted === null)
      this.#skip(
        'refused_by_the_client',
        'no operation with a path parameter is granted, so none was called on a polluted prototype',
      );
    const config = { client: this.#surface.client, ungranted, granted, forbiddenTarget: '/admin' };
    const load = { adapter: this.#runner.adapter, client: emitClient(this.#surface) };
    const listed = await tryList({
      naming: [config],
      ids: (answer) => Object.values(answer as Record<string, string[]>).flat(),
      ask: (id) => [config, id],
      run: (walk) => this.#start('adapter', { sandbox: this.#field.guest, load, walk }),
    });
    const names = listed.named as { client: string[] };
    const reports = reportsOf<LookReport>(listed);
    const marks = [...marksOf(reports.map(({ tried }) => tried)), ...judgeEnded(listed)];
    const ofClient = ({ id }: { id: string }) => names.client.includes(id);
    const client = [...marks.filter(ofClient), judgeArrived(listed.outcomes)];
    this.#add('refused_by_the_client', client);
    this.#add(
      'no_credential',
      marks.filter((mark) => !ofClient(mark)),
    );
    const walked = listed.made.has('walk') ? [{ id: 'realm', happened: true, detail: '' }] : [];
    const places = reports.flatMap(({ found }) => found).map((item) => ({ ...item, place: 'realm' }));
    this.#add('no_credential', judgeSecrets(walked, places, this.#secrets));
    this.#left(listed, (id) => (names.client.includes(id) ? 'refused_by_the_client' : 'no_credential'));
  }

  async #calls(): Promise<void> {
    this.#runner.progress('Probing the broker');
    const calls = new Map(
      forgedCalls(this.#surface, this.#field.host.targets.tcpPort).map(({ id, call }) => [id, call]),
    );
    const listed = await this.#list('calls', { mode: 'calls' }, [...calls.keys()], (id) => ({
      ...calls.get(id),
    }));
    this.#add('refused_by_the_broker', judgeCalls(listed));
    this.#left(listed, () => 'refused_by_the_broker');
  }

  async #frames(): Promise<void> {
    const waiting = [...FORGED_FRAMES];
    const worker = async () => {
      for (let frame = waiting.shift(); frame !== undefined; frame = waiting.shift())
        await this.#frame(frame);
    };
    await Promise.all(Array.from({ length: JOBS }, worker));
  }

  async #frame(frame: NamedFrame): Promise<void> {
    const { outcome } = await this.#one(frame.name, { mode: 'frame', name: frame.name });
    this.#add('refused_by_the_broker', [judgeFrame(frame, outcome)]);
  }

  async #limits(): Promise<void> {
    this.#runner.progress("Probing the sandbox's limits and its kernel");
    const { memoryBytes, pids } = SANDBOX_LIMITS;
    const memory = await this.#one('memory', { mode: 'memory', bytes: memoryBytes });
    const processes = await this.#one('processes', { mode: 'processes', count: pids });
    this.#add('no_host', [
      judgeMemory(memory.outcome, memory.value),
      judgeProcesses(processes.outcome, processes.value, pids),
    ]);
  }

  async #syscalls(): Promise<void> {
    const { missing, prober } = this.#field;
    if (missing !== null) {
      this.#skip('no_host', missing);
      this.#skip('no_network', missing);
      return;
    }
    const listed = await this.#list('syscalls', { mode: 'syscalls' });
    const made = [...listed.made].filter(([, value]) => value !== null);
    const { network, host } = judgeSyscalls(made, filterOf(prober));
    const ended = judgeEnded(listed);
    this.#add('no_network', [...network, ...ended.filter(({ id }) => isSocketCall(id))]);
    this.#add('no_host', [...host, ...ended.filter(({ id }) => !isSocketCall(id))]);
    this.#left(listed, (id) => (isSocketCall(id) ? 'no_network' : 'no_host'));
  }

  async #look(): Promise<void> {
    this.#runner.progress('Probing network, files and secrets');
    const { host, prober } = this.#field;
    const { targets } = host;
    const filter = filterOf(prober);
    const network = await this.#list('network', { mode: 'network', targets });
    this.#add('no_network', judgeNetwork(reportsOf(network), host.contacts(), filter));
    this.#add('no_network', judgeEnded(network));
    this.#left(network, () => 'no_network');
    const files = await this.#list('host', { mode: 'host', targets });
    this.#add('no_host', [
      ...reportsOf<Tried>(files).map((one) => judgeTried(one, filter)),
      ...judgeEnded(files),
    ]);
    this.#left(files, () => 'no_host');
    const secrets = await this.#list('secrets', { mode: 'secrets' });
    const looks = reportsOf<LookReport>(secrets);
    const found = looks.flatMap((look) => look.found);
    const tried = looks.map((look) => look.tried);
    this.#add('no_credential', [...judgeSecrets(tried, found, this.#secrets), ...judgeEnded(secrets)]);
    this.#left(secrets, () => 'no_credential');
  }

  /** A list of attempts in containers of the prober; without `ids`, the container names them. */
  #list(
    name: string,
    task: ProbeTask,
    ids: string[] | null = null,
    ask: (id: string) => Json = (id) => id,
  ): Promise<ListOutcome> {
    return tryList({
      naming: ids === null ? [] : null,
      ids: (answer) => ids ?? (answer as string[]),
      ask: (id) => [ask(id)],
      run: (walk) => this.#task(name, task, walk),
    });
  }

  async #one(name: string, task: ProbeTask): Promise<{ outcome: ProbeRunOutcome; value: Json | undefined }> {
    const { walk, returned } = oneStep();
    const outcome = await this.#task(name, task, walk);
    return { outcome, value: returned() };
  }

  #task(runId: string, task: ProbeTask, walk: ProbeWalk): Promise<ProbeRunOutcome> {
    const load = { adapter: JSON.stringify(task), client: NO_CLIENT };
    return this.#start(runId, { sandbox: this.#field.prober, load, walk });
  }

  async #start(name: string, options: Omit<ProbeRunOptions, 'runId'>): Promise<ProbeRunOutcome> {
    const outcome = await this.#greeted(() => probeRun(this.#parts, { ...options, runId: `probe-${name}` }));
    this.#secrets.push(outcome.authorization);
    this.#runs += 1;
    if (outcome.leaked) this.#leaks += 1;
    return outcome;
  }

  /** Once more where the container ended before it greeted: nothing was asked of it. */
  async #greeted(run: () => Promise<ProbeRunOutcome>): Promise<ProbeRunOutcome> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Interrupted) || error.mayHaveRun || error.reason !== 'engine') throw error;
      return run();
    }
  }

  #add(rule: ProbeRuleId, marks: Parameters<typeof underRule>[1]): void {
    this.#attempts.push(...underRule(rule, marks));
  }

  /** Tells, once per rule, why attempts of it were not made. */
  #left({ left }: ListOutcome, ruleOf: (id: string) => ProbeRuleId): void {
    for (const rule of new Set(left?.ids.map(ruleOf))) this.#skip(rule, left?.why ?? '');
  }

  #skip(rule: ProbeRuleId, why: string): void {
    this.#notTried.push({ rule, why });
  }
}

/** A runtime that only says that it has a kernel of its own is taken for what its containers were seen to have. */
function filterOf({ preflight, tier }: Sandbox): SyscallFilter {
  return preflight.seccomp === 'runtime' && tier !== 'kernel' ? 'engine' : preflight.seccomp;
}
