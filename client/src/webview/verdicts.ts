/// <reference lib="dom" />
/** The page of a verdict file: whose keys, then one row for each line. */
import type {
  KeyOwner,
  SigningKeyItem,
  VerdictFileAnswer,
  VerdictLineSays,
  VerdictRow,
} from '../../../shared/src/protocol.ts';
import { editor, h, onMessage } from './page.ts';

/** Of a digest or key in a row; all of it stands in its title and among the keys. */
const SHORT = 12;

const WHOSE: Record<KeyOwner, string> = {
  mine: 'your own key',
  trusted: 'a key that you trust',
  unknown: 'a key that nobody here knows',
};

const root = document.getElementById('page') ?? document.body;

onMessage((message) => {
  if (message.kind === 'verdicts') render(message.file);
  else if (message.kind === 'noVerdicts')
    root.replaceChildren(h('p', { role: 'status', class: 'summary wrong' }, message.why));
});

/** What was open and where the focus was stay so when the file changes. */
function render(file: VerdictFileAnswer): void {
  const focused = document.activeElement?.id;
  const open = [...document.querySelectorAll('details[open]')].map(({ id }) => id);
  root.replaceChildren(
    h('h1', {}, file.name),
    h('p', { role: 'status', class: `summary${file.whole ? '' : ' wrong'}` }, file.summary),
    h(
      'div',
      { class: 'controls', role: 'toolbar', 'aria-label': 'Verdict file' },
      button('verify', 'Verify', () => editor.postMessage({ kind: 'verify' })),
      button('text', 'Show text', () => editor.postMessage({ kind: 'text' })),
    ),
    ...(file.keys.length === 0 ? [] : [keysOf(file)]),
    ...(file.rows.length === 0 ? [] : [tableOf(file)]),
    h('h2', {}, 'What this file does not establish'),
    listOf(file.notEstablished),
  );
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
  if (focused) document.getElementById(focused)?.focus();
}

function button(id: string, text: string, click: () => void, label = text): HTMLElement {
  return h('button', { id, click, ...(label === text ? {} : { 'aria-label': label }) }, text);
}

function listOf(texts: readonly string[]): HTMLElement {
  return h('ul', {}, ...texts.map((text) => h('li', {}, text)));
}

function keysOf({ keys, mayTrust }: VerdictFileAnswer): HTMLElement {
  return h(
    'section',
    { 'aria-label': 'Keys' },
    h('h2', {}, 'Signed by'),
    h('ul', { class: 'keys' }, ...keys.map((key) => keyOf(key, mayTrust))),
  );
}

function keyOf({ kid, whose, lines }: SigningKeyItem, mayTrust: boolean): HTMLElement {
  return h(
    'li',
    {},
    h('code', {}, kid),
    ` ${WHOSE[whose]}, ${lines} ${lines === 1 ? 'line' : 'lines'} `,
    ...(whose === 'unknown' && mayTrust
      ? [
          button(
            `trust-${kid}`,
            'Trust this key…',
            () => editor.postMessage({ kind: 'trust', kid }),
            `Trust the key ${kid}`,
          ),
        ]
      : []),
  );
}

const COLUMNS = ['Line', 'State', 'What ran', 'Verdict', 'Rules broken', 'When (as stated)', 'Signer', 'Do'];

function tableOf({ name, rows }: VerdictFileAnswer): HTMLElement {
  return h(
    'table',
    { class: 'verdicts' },
    h('caption', {}, `Lines of ${name}`),
    h('thead', {}, h('tr', {}, ...COLUMNS.map((text) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, ...rows.map(rowOf)),
  );
}

function rowOf(row: VerdictRow): HTMLElement {
  const { line, says } = row;
  const cells = says === null ? [h('td', { colspan: 5 }, row.meaning)] : cellsOf(says);
  return h(
    'tr',
    { class: row.state, id: `line-${line}` },
    h('th', { scope: 'row' }, String(line)),
    stateOf(row),
    ...cells,
    h('td', { class: 'do' }, ...(says === null ? [] : buttonsOf(line, says))),
  );
}

function stateOf({ line, label, meaning, facts, says }: VerdictRow): HTMLElement {
  return h(
    'td',
    { class: 'state' },
    h('strong', { title: meaning }, label),
    ...facts.map(({ kind, text }) => h('p', { class: 'fact' }, h('b', {}, kind), `: ${text}`)),
    ...(says === null
      ? []
      : [
          h(
            'details',
            { id: `more-${line}` },
            h('summary', { 'aria-label': `More about line ${line}` }, 'More'),
            h('p', {}, meaning),
            listOf(says.details),
            h('p', {}, 'Not established:'),
            listOf(says.notEstablished),
          ),
        ]),
  );
}

function cellsOf({
  name,
  subject,
  sha256,
  verdict,
  broken,
  endedAt,
  kid,
  whose,
}: VerdictLineSays): HTMLElement[] {
  return [
    h(
      'td',
      {},
      name,
      h('p', { class: 'fact', title: `SHA-256 ${sha256}` }, `${subject} ${sha256.slice(0, SHORT)}…`),
    ),
    h('td', { class: `verdict ${verdict}` }, verdict),
    h(
      'td',
      {},
      ...(broken.length === 0 ? ['none'] : broken.map(({ id, text }) => h('p', { title: text }, id))),
    ),
    h(
      'td',
      {},
      ...(endedAt === null ? ['not stated'] : [h('time', { datetime: endedAt }, shortTime(endedAt))]),
    ),
    h(
      'td',
      { title: kid },
      h('code', {}, `${kid.slice(0, SHORT)}…`),
      h('p', { class: 'fact' }, WHOSE[whose]),
    ),
  ];
}

/** `2026-01-05T10:00:01.250Z` -> `2026-01-05 10:00:01 UTC`; what is no such time stays as it is. */
function shortTime(text: string): string {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/.exec(text);
  return found === null ? text : `${found[1]} ${found[2]} UTC`;
}

function buttonsOf(line: number, { name, scenario, ledger }: VerdictLineSays): HTMLElement[] {
  const copy = button(
    `copy-${line}`,
    'Copy line',
    () => editor.postMessage({ kind: 'copyLine', line }),
    `Copy line ${line}, ${name}`,
  );
  if (ledger === null || scenario === null) return [copy];
  return [
    button(
      `ledger-${line}`,
      'Show ledger',
      () => editor.postMessage({ kind: 'lineLedger', line }),
      `Show the ledger of ${name}`,
    ),
    button(
      `replay-${line}`,
      'Replay',
      () => editor.postMessage({ kind: 'lineReplay', line }),
      `Replay ${name}`,
    ),
    copy,
  ];
}

editor.postMessage({ kind: 'ready' });
