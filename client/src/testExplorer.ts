/** The Test Explorer: adapter > scenario > rule, and what explorations found; filled from the server and run by it. */
import {
  type CancellationToken,
  Disposable,
  Location,
  l10n,
  Position,
  Range,
  type TestController,
  type TestItem,
  type TestItemCollection,
  TestMessage,
  type TestRun,
  TestRunProfileKind,
  TestRunRequest,
  tests,
  Uri,
  workspace,
} from 'vscode';
import {
  type AdapterItem,
  COMMANDS,
  type RunParams,
  type RunStarted,
  type ScenarioItem,
} from '../../shared/src/protocol.ts';
import type { Adapters } from './adapters.ts';
import type { Server } from './languageClient.ts';

/** Id of the group of what explorations found; no scenario of a contract has it. */
const FOUND = 'found';
const STALE = () => l10n.t('stale: the text has changed since');

type RuleOutcome = NonNullable<ScenarioItem['result']>['rules'][number];

export class TestExplorer implements Disposable {
  readonly #server: Server;
  readonly #adapters: Adapters;
  readonly #controller: TestController;
  /** Runs of the server that are shown, whoever started them. */
  readonly #shown = new Map<string, TestRun>();
  readonly #parts: Disposable;
  /** Requests whose server run has not been announced yet, by adapter. */
  readonly #awaited = new Map<string, TestRun>();

  constructor(server: Server, adapters: Adapters) {
    this.#server = server;
    this.#adapters = adapters;
    this.#controller = tests.createTestController('loadline', 'Loadline');
    this.#controller.refreshHandler = () => adapters.refresh();
    const profile = this.#controller.createRunProfile(
      l10n.t('Qualify'),
      TestRunProfileKind.Run,
      (request, token) =>
        request.continuous ? this.#watch(request, token) : this.#start(request, token, false),
      true,
    );
    profile.supportsContinuousRun = true;
    this.#parts = Disposable.from(
      this.#controller,
      adapters.onChange(() => this.#fill()),
      server.onRun((params) => this.#follow(params)),
    );
  }

  /** Adapters with their scenarios, as the view lists them. */
  get items(): TestItemCollection {
    return this.#controller.items;
  }

  dispose(): void {
    for (const run of this.#shown.values()) run.end();
    this.#parts.dispose();
  }

  #fill(): void {
    this.#controller.items.replace(this.#adapters.items.map((item) => this.#adapterItem(item)));
  }

  #adapterItem(adapter: AdapterItem): TestItem {
    const uri = Uri.parse(adapter.uri);
    const item = this.#controller.createTestItem(adapter.uri, adapter.name, uri);
    // The one range: scenarios with ranges would put a menu of all of them on one line.
    item.range = new Range(adapter.line, 0, adapter.line, 0);
    const path = workspace.asRelativePath(uri);
    if (path !== adapter.name) item.description = path;
    const scenarios = adapter.scenarios.map((scenario, index) => {
      const child = this.#scenarioItem(adapter, scenario);
      // The contract's order, which goes from plain to hard, not the alphabet's.
      child.sortText = String(index).padStart(3, '0');
      return child;
    });
    item.children.replace([...scenarios, ...this.#foundItem(adapter)]);
    return item;
  }

  /** What explorations found, where there is any: listed last, and no part of a qualification. */
  #foundItem(adapter: AdapterItem): TestItem[] {
    if (adapter.found.length === 0) return [];
    const uri = Uri.parse(adapter.uri);
    const item = this.#controller.createTestItem(
      `${adapter.uri}#${FOUND}`,
      l10n.t('found by exploring'),
      uri,
    );
    item.sortText = FOUND;
    item.children.replace(
      adapter.found.map(({ id, title, stale, result }) => {
        const child = this.#controller.createTestItem(`${item.id}#${id}`, title, uri);
        if (stale) child.description = STALE();
        child.children.replace((result?.rules ?? []).map((rule) => this.#ruleItem(child, rule)));
        return child;
      }),
    );
    return [item];
  }

  #scenarioItem(adapter: AdapterItem, scenario: ScenarioItem): TestItem {
    const uri = Uri.parse(adapter.uri);
    const item = this.#controller.createTestItem(`${adapter.uri}#${scenario.id}`, scenario.id, uri);
    item.description = scenario.stale ? STALE() : scenario.title;
    item.children.replace((scenario.result?.rules ?? []).map((rule) => this.#ruleItem(item, rule)));
    return item;
  }

  #ruleItem(scenario: TestItem, rule: RuleOutcome): TestItem {
    return this.#controller.createTestItem(`${scenario.id}#${rule.id}`, rule.id, scenario.uri);
  }

  /** Starts what was asked for, one server run for each adapter; each ends its part of the list by itself. */
  async #start(request: TestRunRequest, token: CancellationToken, draft: boolean): Promise<void> {
    for (const each of asked(request, this.#controller)) {
      if (token.isCancellationRequested) return;
      const { uri } = each;
      const run = this.#controller.createTestRun(request, undefined, true);
      this.#awaited.set(uri, run);
      try {
        const { run: id } = await this.#server.command<RunStarted>(...commandOf(each, draft));
        const cancel = () => void this.#server.cancelRun(id);
        token.onCancellationRequested(cancel);
        run.token.onCancellationRequested(cancel);
      } catch (error) {
        const item = this.#controller.items.get(uri);
        if (item) run.errored(item, new TestMessage(error instanceof Error ? error.message : String(error)));
        run.end();
        this.#awaited.delete(uri);
      }
    }
  }

  /** Continuous run: drafts, each time an adapter that is watched was saved. */
  async #watch(request: TestRunRequest, token: CancellationToken): Promise<void> {
    const watched = new Set(asked(request, this.#controller).map(({ uri }) => uri));
    const saved = workspace.onDidSaveTextDocument((document) => {
      if (watched.has(document.uri.toString()))
        void this.#start(this.#failingOrAll(document.uri), token, true);
    });
    token.onCancellationRequested(() => saved.dispose());
  }

  /** The scenarios that failed last; where none did, the first of the contract. */
  #failingOrAll(uri: Uri): TestRunRequest {
    const adapter = this.#adapters.of(uri);
    const item = this.#controller.items.get(uri.toString());
    const failing = adapter?.scenarios.filter(({ state }) => state === 'failed') ?? [];
    const chosen = failing.length > 0 ? failing : (adapter?.scenarios.slice(0, 1) ?? []);
    const items = chosen.flatMap(({ id }) => item?.children.get(`${uri.toString()}#${id}`) ?? []);
    return new TestRunRequest(items);
  }

  /** Runs that a lens or the palette started show here too. The first event of a run may come before its answer. */
  #follow(params: RunParams): void {
    // A search for new schedules has nothing to list before its end.
    if (params.kind !== 'qualify' && params.scenarios.length === 0) return;
    const run = this.#shown.get(params.run) ?? this.#awaited.get(params.adapter) ?? this.#unasked(params.run);
    this.#shown.set(params.run, run);
    this.#awaited.delete(params.adapter);
    const adapter = this.#controller.items.get(params.adapter);
    if (adapter) this.#show(run, adapter, params);
    if (params.state !== 'ended') return;
    run.end();
    this.#shown.delete(params.run);
  }

  #unasked(id: string): TestRun {
    const run = this.#controller.createTestRun(new TestRunRequest([]), undefined, true);
    run.token.onCancellationRequested(() => void this.#server.cancelRun(id));
    return run;
  }

  #show(run: TestRun, adapter: TestItem, params: RunParams): void {
    const found = `${adapter.id}#${FOUND}`;
    const item = (id: string) =>
      adapter.children.get(`${adapter.id}#${id}`) ??
      adapter.children.get(found)?.children.get(`${found}#${id}`);
    if (params.text !== undefined) run.appendOutput(`${params.text}\r\n`);
    if (params.state === 'queued')
      for (const id of params.scenarios) show(item(id), (each) => run.enqueued(each));
    if (params.state === 'scenario' && params.scenario !== undefined) {
      const scenario = item(params.scenario);
      if (scenario && params.result === undefined) run.started(scenario);
      if (scenario && params.result) this.#showResult(run, scenario, params.result);
    }
    if (params.state === 'ended' && params.problem) {
      run.appendOutput(`${params.problem.text}\r\n`);
      // What did not run is errored, never passed.
      if (params.verdict === 'not_run') run.errored(adapter, new TestMessage(params.problem.text));
    }
  }

  #showResult(run: TestRun, scenario: TestItem, result: NonNullable<RunParams['result']>): void {
    if (result.verdict === 'not_run') {
      run.errored(
        scenario,
        new TestMessage(result.message ?? l10n.t('The scenario did not run.')),
        result.durationMs,
      );
      return;
    }
    scenario.children.replace(result.rules.map((rule) => this.#ruleItem(scenario, rule)));
    for (const rule of result.rules) {
      const item = scenario.children.get(`${scenario.id}#${rule.id}`);
      if (item === undefined) continue;
      if (rule.held) run.passed(item);
      else run.failed(item, messageOf(rule, scenario.uri));
    }
    // Parents carry no message: one fact, one mark.
    if (result.verdict === 'qualified') run.passed(scenario, result.durationMs);
    else run.failed(scenario, [], result.durationMs);
  }
}

function show(item: TestItem | undefined, how: (item: TestItem) => void): void {
  if (item) how(item);
}

function messageOf(rule: RuleOutcome, uri: Uri | undefined): TestMessage {
  const rows = rule.ledger.length > 0 ? ` ${l10n.t('Ledger rows: {0}.', rule.ledger.join(', '))}` : '';
  const message = new TestMessage(`${rule.text}${rows}`);
  const [site] = rule.sites;
  if (site && uri)
    message.location = new Location(
      uri,
      new Position(Math.max(0, site.line - 1), Math.max(0, site.column - 1)),
    );
  return message;
}

interface Asked {
  uri: string;
  /** Of a qualification; without scenarios: all of them. */
  of: { scenarios?: string[] };
  /** Of what explorations found: these are run in place of a qualification; none: all of them. */
  found?: string[];
}

function commandOf({ uri, of, found }: Asked, draft: boolean): [command: string, params: object] {
  return found === undefined ? [COMMANDS.qualify, { uri, draft, ...of }] : [COMMANDS.explore, { uri, found }];
}

/** What a request is for: of each adapter its qualification, what was found in it, or both. */
function asked(request: TestRunRequest, controller: TestController): Asked[] {
  const chosen = new Map<string, { all: boolean; scenarios: Set<string>; found: Set<string> | null }>();
  const roots: TestItem[] = [];
  for (const [, item] of controller.items) roots.push(item);
  for (const item of request.include ?? roots) {
    if (request.exclude?.includes(item)) continue;
    const [uri = '', scenario, fault] = item.id.split('#');
    const known = chosen.get(uri) ?? { all: false, scenarios: new Set(), found: null };
    chosen.set(uri, known);
    if (scenario === undefined) known.all = true;
    else if (scenario !== FOUND) known.scenarios.add(scenario);
    else known.found = new Set([...(known.found ?? []), ...(fault === undefined ? [] : [fault])]);
  }
  return [...chosen].flatMap(([uri, { all, scenarios, found }]) => [
    ...(all || scenarios.size > 0 ? [{ uri, of: all ? {} : { scenarios: [...scenarios] } }] : []),
    ...(found === null ? [] : [{ uri, of: {}, found: [...found] }]),
  ]);
}
