/// <reference lib="dom" />
/** The replay page: one run, or two side by side, played over one time. */
import type { AdapterItem, ScenarioItem } from '../../../shared/src/protocol.ts';
import type { ShownRun, ToPage } from '../views/messages.ts';
import { floorOf, spoken } from './floor.ts';
import { editor, h, onMessage, picker } from './page.ts';
import { timelineOf } from './timeline.ts';

interface Side {
  uri: string;
  scenario: string;
  run: ShownRun | null;
  why: string;
}

const FASTEST_MS = 60;
const SPEEDS = [0.25, 0.5, 1, 2, 4];

const state = {
  adapters: [] as AdapterItem[],
  sides: [] as Side[],
  row: 0,
  speed: 1,
  timer: undefined as number | undefined,
};

const root = document.getElementById('page') ?? document.body;

onMessage((message: ToPage) => {
  if (message.kind === 'adapters') state.adapters = message.adapters;
  else if (message.kind === 'run') {
    const { side, uri, scenario, run, why } = message;
    state.sides[side] = { uri, scenario, run, why };
    if (side === 0) state.row = 0;
  }
  render();
});

document.addEventListener('keydown', (event) => {
  if (event.target instanceof HTMLSelectElement) return;
  const act = KEYS.get(event.key);
  if (act === undefined) return;
  event.preventDefault();
  act();
});

const KEYS = new Map<string, () => void>([
  [' ', () => toggle()],
  ['ArrowRight', () => go(state.row + 1)],
  ['ArrowLeft', () => go(state.row - 1)],
  ['Home', () => go(0)],
  ['End', () => go(last())],
]);

function last(): number {
  return Math.max(0, ...state.sides.map(({ run }) => (run?.replay.frames.length ?? 1) - 1));
}

function go(row: number): void {
  state.row = Math.min(Math.max(row, 0), last());
  if (state.row === last()) stop();
  render();
}

function toggle(): void {
  if (state.timer !== undefined) {
    stop();
    render();
    return;
  }
  if (state.row === last()) state.row = 0;
  play();
  render();
}

function play(): void {
  clearInterval(state.timer);
  state.timer = window.setInterval(() => go(state.row + 1), Math.max(FASTEST_MS, 500 / state.speed));
}

function stop(): void {
  clearInterval(state.timer);
  state.timer = undefined;
}

function render(): void {
  const focused = document.activeElement?.id;
  root.replaceChildren(
    h('div', { class: 'sides' }, ...state.sides.map((side, index) => sideOf(side, index))),
    controls(),
    h(
      'p',
      { class: 'said', role: 'status', 'aria-live': state.timer === undefined ? 'polite' : 'off' },
      saidOf(),
    ),
  );
  if (focused) document.getElementById(focused)?.focus();
  document.querySelectorAll('.rows .now').forEach((row) => {
    row.scrollIntoView({ block: 'nearest' });
  });
}

function saidOf(): string {
  return state.sides
    .map(({ run }) => run?.replay.frames[Math.min(state.row, run.replay.frames.length - 1)])
    .map((frame) => (frame ? `${frame.seq}. ${frame.text} ${spoken(frame)}.` : ''))
    .join(' ');
}

function sideOf(side: Side, index: number): HTMLElement {
  const { run, why } = side;
  return h(
    'section',
    { 'aria-label': run ? `${run.adapter}, ${run.scenario}` : 'Nothing to show' },
    h('div', { class: 'pickers' }, ...pickersOf(side, index)),
    ...(run === null ? [h('p', { class: 'empty' }, why), runButton(side)] : runOf(run, side)),
  );
}

function pickersOf(side: Side, index: number): HTMLElement[] {
  const adapter = state.adapters.find(({ uri }) => uri === side.uri);
  const show = (uri: string, scenario: string) =>
    editor.postMessage({ kind: 'show', side: index, uri, scenario });
  const adapters = state.adapters.map(({ uri, name }) => ({ value: uri, text: name }));
  const option = ({ id, state: known, stale }: ScenarioItem, name: string) => ({
    value: id,
    text: `${SIGNS.get(known) ?? ' '} ${name}${stale ? ' (stale)' : ''}`,
  });
  const scenarios = [
    ...(adapter?.scenarios ?? []).map((item) => option(item, item.id)),
    ...(adapter?.found ?? []).map((item) => option(item, `Found: ${item.title}`)),
  ];
  return [
    picker('Adapter', adapters, side.uri, (uri) => show(uri, side.scenario)),
    picker('Scenario', scenarios, side.scenario, (scenario) => show(side.uri, scenario)),
  ];
}

const SIGNS = new Map([
  ['qualified', '✓'],
  ['failed', '✗'],
  ['running', '…'],
  ['not_run', '?'],
]);

function runButton({ uri, scenario }: Side): HTMLElement {
  return h('button', { click: () => editor.postMessage({ kind: 'run', uri, scenario }) }, `Run ${scenario}`);
}

function runOf(run: ShownRun, { uri, scenario }: Side): HTMLElement[] {
  const { replay } = run;
  const at = Math.min(state.row, replay.frames.length - 1);
  const frame = replay.frames[at];
  const picture = h('div', { class: 'floor' });
  picture.append(floorOf(replay.floor, frame, `${run.adapter}, ${run.scenario}`));
  return [
    h('p', { class: `verdict ${run.verdict}` }, verdictText(run)),
    h('div', { class: 'beside' }, picture, rowsOf(run, at)),
    h('div', {}, timelineOf(run, at, go)),
    h('p', { class: 'check' }, checkText(run)),
    h(
      'ul',
      { class: 'rules' },
      ...run.rules.filter(({ held }) => !held).map(({ id, text }) => h('li', {}, `✗ ${id}: ${text}`)),
    ),
    h('button', { click: () => editor.postMessage({ kind: 'ledger', uri, scenario }) }, 'Open ledger'),
  ];
}

function verdictText({ verdict, signed, stale, title }: ShownRun): string {
  const words = verdict === 'qualified' ? '✓ held every rule' : '✗ broke a rule';
  return `${words} (${signed ? 'signed' : 'draft'}${stale ? ', stale' : ''}). ${title}`;
}

/** What was drawn against what the vendor recorded. */
function checkText({ check, replay }: ShownRun): string {
  const seen = `${check.robots} robots and ${check.orders} orders, ${replay.frames.length} ledger rows`;
  return check.differences.length === 0
    ? `Checked: the last picture is the vendor's record (${seen}).`
    : `The picture differs from the vendor's record: ${check.differences.join(' ')}`;
}

function rowsOf({ replay }: ShownRun, at: number): HTMLElement {
  return h(
    'ol',
    { class: 'rows', tabindex: 0, 'aria-label': 'Ledger rows' },
    ...replay.frames.map(({ seq, at: time, kind, text }, index) =>
      h(
        'li',
        {
          class: `${kind}${index === at ? ' now' : ''}`,
          ...(index === at ? { 'aria-current': 'step' } : {}),
          click: () => go(index),
        },
        h('span', { class: 'seq' }, `${seq}`),
        h('span', { class: 'time' }, `${(time / 1000).toFixed(2)} s`),
        h('span', {}, text),
      ),
    ),
  );
}

function controls(): HTMLElement {
  const playing = state.timer !== undefined;
  const button = (id: string, label: string, sign: string, act: () => void) =>
    h('button', { id, 'aria-label': label, title: label, click: act }, sign);
  const scrub = h('input', {
    id: 'scrub',
    type: 'range',
    min: 0,
    max: last(),
    step: 1,
    'aria-label': 'Ledger row',
    'aria-valuetext': `row ${state.row + 1} of ${last() + 1}`,
    input: (event) => {
      stop();
      go(Number((event.target as HTMLInputElement).value));
    },
  });
  (scrub as HTMLInputElement).value = String(state.row);
  return h(
    'div',
    { class: 'controls', role: 'toolbar', 'aria-label': 'Replay' },
    button('first', 'First row (Home)', '|◀◀', () => go(0)),
    button('back', 'One row back (Left)', '|◀', () => go(state.row - 1)),
    button('play', playing ? 'Pause (Space)' : 'Play (Space)', playing ? '❚❚' : '▶', toggle),
    button('next', 'One row on (Right)', '▶|', () => go(state.row + 1)),
    button('last', 'Last row (End)', '▶▶|', () => go(last())),
    scrub,
    picker(
      'Speed',
      SPEEDS.map((speed) => ({ value: String(speed), text: `${speed}×` })),
      String(state.speed),
      (value) => {
        state.speed = Number(value);
        if (state.timer !== undefined) play();
      },
    ),
    button(
      'beside',
      state.sides.length > 1 ? 'Show one run' : 'Show a second run beside it',
      state.sides.length > 1 ? '▭' : '◫',
      beside,
    ),
  );
}

function beside(): void {
  const [first] = state.sides;
  if (first === undefined) return;
  if (state.sides.length > 1) {
    state.sides.length = 1;
    render();
    return;
  }
  const other = state.adapters.find(({ uri }) => uri !== first.uri) ?? state.adapters[0];
  editor.postMessage({ kind: 'show', side: 1, uri: other?.uri ?? first.uri, scenario: first.scenario });
}

editor.postMessage({ kind: 'ready' });
