/**
 * A qualification as SARIF 2.1.0: the contracts' rules as descriptors, a result for each broken rule of a run at its
 * place in the adapter, and a notification for each run without a verdict.
 */
import { contractById } from '../contracts/index.ts';
import type { Evidence, RuleOutcome } from '../evidence/evidence.ts';
import type { Site } from '../guestProtocol.ts';
import type { Json, JsonObject } from '../json.ts';
import type { AdapterResult, EngineFacts, QualifyResult, RunResult } from '../results.ts';
import { oneLine, sarifMessage } from '../text.ts';
import { brokenRules, didNotRun, NOTHING_RAN, placesOf, whyNotRun } from './broken.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
/** What relative addresses of adapters are relative to. */
const ROOT = '%SRCROOT%';

/** The whole file, one LF at its end. `version`: of Loadline. Its texts are plain lines without SARIF's own marks. */
export function sarifText(result: QualifyResult, { version }: { version: string }): string {
  const rules = new RuleTable();
  for (const adapter of result.adapters) rules.addContract(adapter.contract);
  const results = result.adapters.flatMap((adapter) =>
    adapter.runs.flatMap((run) => resultsOf(adapter, run, rules)),
  );
  const driver = { name: 'Loadline', version: oneLine(version), rules: rules.descriptors };
  const run = {
    tool: { driver },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: {
      [ROOT]: { description: { text: 'The folder that the adapters were qualified from.' } },
    },
    artifacts: artifactsOf(result.adapters),
    invocations: [invocationOf(result.adapters)],
    results,
    properties: { engine: engineOf(result.engine), adapters: result.adapters.map(adapterProperties) },
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

/** Descriptors of the rules, each once, in the order in which the contracts show them. */
class RuleTable {
  readonly descriptors: JsonObject[] = [];
  readonly #index = new Map<string, number>();

  addContract(id: string): void {
    for (const rule of contractById(id)?.rules ?? []) this.indexOf(id, rule.id, rule.title);
  }

  idOf(contract: string, rule: string): string {
    return oneLine(`${contract}/${rule}`);
  }

  /** Where the rule's descriptor is; one that its contract does not know gets one of its own. */
  indexOf(contract: string, rule: string, title: string = rule): number {
    const id = this.idOf(contract, rule);
    const known = this.#index.get(id);
    if (known !== undefined) return known;
    const help = `${title}. It is judged from the vendor's own ledger, the vendor's record after the run and the values that came back; ledger rows are listed with each result. A place in the adapter is where the call behind it was made, as the adapter claims.`;
    this.descriptors.push({
      id,
      name: oneLine(rule),
      shortDescription: { text: sarifMessage(title) },
      help: { text: sarifMessage(help) },
      defaultConfiguration: { level: 'error' },
    });
    this.#index.set(id, this.descriptors.length - 1);
    return this.descriptors.length - 1;
  }
}

function resultsOf(adapter: AdapterResult, run: RunResult, rules: RuleTable): Json[] {
  if (run.verdict !== 'failed') return [];
  return brokenRules(run).map((rule) => {
    const [first, ...further] = placesOf(rule.sites);
    const related = further.map((site, index) => ({
      id: index + 1,
      ...locationOf(adapter, site),
      message: { text: 'A further call behind this.' },
    }));
    return {
      ruleId: rules.idOf(adapter.contract, rule.id),
      ruleIndex: rules.indexOf(adapter.contract, rule.id),
      level: 'error',
      message: { text: sarifMessage(`${run.scenario}: ${rule.text}`) },
      locations: [locationOf(adapter, first)],
      ...(related.length === 0 ? {} : { relatedLocations: related }),
      // The same rule broken in the same scenario is the same finding, wherever its line has moved to.
      partialFingerprints: {
        'scenarioAndRule/v1': oneLine(`${adapter.contract}/${run.scenario}/${rule.id}`),
      },
      properties: { scenario: oneLine(run.scenario), ledger: ledgerOf(rule, run.evidence) },
    };
  });
}

/** The ledger's rows behind an outcome: all that is known of them, or their numbers where the ledger is not at hand. */
function ledgerOf(rule: RuleOutcome, evidence: Evidence | undefined): Json[] {
  const rows = new Map(evidence?.ledger.map((row) => [row.seq, row]));
  return rule.ledger.map((seq) => {
    const row = rows.get(seq);
    if (row === undefined) return { seq };
    const { at, kind, by, operation, status } = row;
    return {
      ...{ seq, at, kind, by },
      ...(operation === undefined ? {} : { operation: oneLine(operation) }),
      ...(status === undefined ? {} : { status }),
    };
  });
}

function locationOf(adapter: AdapterResult, site: Site | undefined): JsonObject {
  const region = site && { startLine: site.line, startColumn: site.column };
  return {
    physicalLocation: { artifactLocation: artifactLocation(adapter.file), ...(region ? { region } : {}) },
  };
}

function artifactsOf(adapters: readonly AdapterResult[]): Json[] {
  const byFile = new Map(adapters.map((adapter) => [adapter.file, adapter]));
  return [...byFile.values()].map(({ file, sha256 }) => ({
    location: artifactLocation(file),
    roles: ['analysisTarget'],
    sourceLanguage: 'javascript',
    ...(sha256 === '' ? {} : { hashes: { 'sha-256': oneLine(sha256) } }),
  }));
}

/** A path as an address: relative ones to `ROOT`, absolute ones (of POSIX or Windows) as `file:`. */
function artifactLocation(file: string): JsonObject {
  const path = file.replaceAll('\\', '/');
  const drive = /^[A-Za-z]:(?=\/)/.exec(path)?.[0];
  const uri = path
    .slice(drive?.length ?? 0)
    .split('/')
    .map((segment) => encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd')))
    .join('/');
  if (drive !== undefined) return { uri: `file:///${drive}${uri}` };
  return uri.startsWith('/') ? { uri: `file://${uri}` } : { uri, uriBaseId: ROOT };
}

function invocationOf(adapters: readonly AdapterResult[]): JsonObject {
  const notifications = adapters.flatMap((adapter) => {
    if (adapter.runs.length === 0) return [notification(adapter, 'not_run', NOTHING_RAN)];
    return adapter.runs
      .filter((run) => run.verdict === 'not_run')
      .map((run) =>
        notification(
          adapter,
          run.reason === undefined ? 'not_run' : `not_run/${run.reason}`,
          `${run.scenario}: ${whyNotRun(run)}`,
        ),
      );
  });
  return {
    executionSuccessful: adapters.length > 0 && !adapters.some(didNotRun),
    ...(notifications.length === 0 ? {} : { toolExecutionNotifications: notifications }),
  };
}

function notification(adapter: AdapterResult, id: string, text: string): JsonObject {
  return {
    descriptor: { id: oneLine(id) },
    level: 'error',
    message: { text: sarifMessage(text) },
    locations: [locationOf(adapter, undefined)],
  };
}

function engineOf(engine: EngineFacts | null): Json {
  if (engine === null) return null;
  const { name, version, runtime, tier } = engine;
  return { name: oneLine(name), version: oneLine(version), runtime: oneLine(runtime), tier };
}

function adapterProperties({ file, contract, seed, verdict, runs }: AdapterResult): Json {
  const held = runs.filter((run) => run.verdict === 'qualified').length;
  return {
    ...{ file: oneLine(file), contract: oneLine(contract), seed, verdict },
    scenarios: { run: runs.length, held },
  };
}
