/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** What both pages share: the editor behind them, and elements made without markup, so that foreign text stays text. */
import type { FromPage, ToPage } from '../views/messages.ts';

interface Editor {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): Editor;

export const editor = acquireVsCodeApi();

export function onMessage(handle: (message: ToPage) => void): void {
  window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => handle(data));
}

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;
type Child = Node | string;

/** An HTML element. A function is a listener, `true` an attribute without a value, `false` none. */
export function h(name: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  return filled(document.createElement(name), attributes, children);
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(name: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return filled(document.createElementNS(SVG, name) as SVGElement, attributes, children);
}

function filled<Made extends Element>(made: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** A picker: its label is its name for a screen reader. */
export function picker(
  label: string,
  options: readonly { value: string; text: string }[],
  chosen: string,
  pick: (value: string) => void,
): HTMLElement {
  const select = h(
    'select',
    { change: (event) => pick((event.target as HTMLSelectElement).value) },
    ...options.map(({ value, text }) => h('option', { value, selected: value === chosen }, text)),
  );
  return h('label', { class: 'picker' }, h('span', {}, label), select);
}
