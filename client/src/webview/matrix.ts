/// <reference lib="dom" />
/** The matrix page: adapters, their scenarios as rows, the rules as columns. */
import type { AdapterItem, ScenarioItem } from '../../../shared/src/protocol.ts';
import { editor, h, onMessage, picker } from './page.ts';

type Filter = 'all' | 'broken' | 'stale' | 'missing';
type Rule = NonNullable<ScenarioItem['result']>['rules'][number];

const state = { adapters: [] as AdapterItem[], filter: 'all' as Filter, text: '' };
const root = document.getElementById('page') ?? document.body;

onMessage((message) => {
  if (message.kind !== 'adapters') return;
  state.adapters = message.adapters;
  render();
});

const FILTERS: { value: Filter; text: string }[] = [
  { value: 'all', text: 'All runs' },
  { value: 'broken', text: 'Broken rules' },
  { value: 'stale', text: 'Stale' },
  { value: 'missing', text: 'Not run yet' },
];

function render(): void {
  const focused = document.activeElement?.id;
  const search = h('input', {
    id: 'search',
    type: 'search',
    placeholder: 'Adapter or scenario',
    'aria-label': 'Filter by adapter or scenario',
    input: (event) => {
      state.text = (event.target as HTMLInputElement).value;
      render();
    },
  }) as HTMLInputElement;
  search.value = state.text;
  const shown = state.adapters.map((adapter) => ({
    adapter,
    scenarios: adapter.scenarios.filter((each) => fits(adapter, each)),
  }));
  root.replaceChildren(
    h(
      'div',
      { class: 'controls' },
      search,
      picker('Show', FILTERS, state.filter, (value) => {
        state.filter = value as Filter;
        render();
      }),
      h('p', { role: 'status' }, summary()),
    ),
    ...shown
      .filter(({ scenarios }) => scenarios.length > 0)
      .map(({ adapter, scenarios }) => tableOf(adapter, scenarios)),
  );
  if (focused === 'search') {
    const again = document.getElementById('search') as HTMLInputElement | null;
    again?.focus();
    again?.setSelectionRange(state.text.length, state.text.length);
  }
}

function fits(adapter: AdapterItem, scenario: ScenarioItem): boolean {
  const wanted = state.text.trim().toLowerCase();
  if (wanted !== '' && !`${adapter.name} ${scenario.id}`.toLowerCase().includes(wanted)) return false;
  switch (state.filter) {
    case 'broken':
      return scenario.state === 'failed';
    case 'stale':
      return scenario.stale;
    case 'missing':
      return scenario.state === 'none' || scenario.state === 'not_run';
    default:
      return true;
  }
}

function summary(): string {
  const all = state.adapters.flatMap(({ scenarios }) => scenarios);
  const count = (known: ScenarioItem['state']) => all.filter(({ state: each }) => each === known).length;
  return `${state.adapters.length} adapters, ${count('qualified')} of ${all.length} runs held every rule, ${count('failed')} failed.`;
}

function tableOf(adapter: AdapterItem, scenarios: readonly ScenarioItem[]): HTMLElement {
  const rules =
    adapter.scenarios.find(({ result }) => result && result.rules.length > 0)?.result?.rules ?? [];
  return h(
    'table',
    {},
    h('caption', {}, adapter.name),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'Scenario'),
        ...rules.map(({ id }) =>
          h('th', { scope: 'col', class: 'rule' }, h('span', {}, id.replaceAll('_', ' '))),
        ),
        h('th', { scope: 'col' }, 'Calls'),
        h('th', { scope: 'col' }, 'Orders'),
      ),
    ),
    h('tbody', {}, ...scenarios.map((scenario) => rowOf(adapter, scenario, rules))),
  );
}

function rowOf(adapter: AdapterItem, scenario: ScenarioItem, rules: readonly Rule[]): HTMLElement {
  const { id, title, stale, result } = scenario;
  return h(
    'tr',
    { class: stale ? 'stale' : '' },
    h(
      'th',
      { scope: 'row', title },
      h(
        'button',
        {
          class: 'link',
          click: () => editor.postMessage({ kind: 'show', side: 0, uri: adapter.uri, scenario: id }),
        },
        id,
      ),
      stale ? h('em', {}, ' stale') : '',
    ),
    ...rules.map(({ id: rule }) =>
      cellOf(
        adapter,
        scenario,
        result?.rules.find((each) => each.id === rule),
      ),
    ),
    h('td', { class: 'number' }, result ? String(result.calls.sent) : ''),
    h('td', { class: 'number' }, result ? String(result.orders) : ''),
  );
}

function cellOf(adapter: AdapterItem, scenario: ScenarioItem, rule: Rule | undefined): HTMLElement {
  if (rule === undefined)
    return h(
      'td',
      { class: 'none', 'aria-label': `${scenario.id}: not run` },
      scenario.state === 'running' ? '…' : '·',
    );
  const label = `${scenario.id}, ${rule.id}: ${rule.held ? 'held' : 'broken'}. ${rule.text}`;
  if (rule.held) return h('td', { class: 'held', title: rule.text }, h('span', { 'aria-label': label }, '✓'));
  const [site] = rule.sites;
  const go = () =>
    editor.postMessage({ kind: 'code', uri: adapter.uri, line: site?.line ?? 1, column: site?.column ?? 1 });
  return h('td', { class: 'broken' }, h('button', { 'aria-label': label, title: rule.text, click: go }, '✗'));
}

editor.postMessage({ kind: 'ready' });
