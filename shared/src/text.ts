/**
 * The one gate through which foreign text (of a vendor document, an adapter, a vendor) reaches a person or an agent.
 * Every function takes raw text and gives text that is inert in its target: no control, bidi or invisible characters,
 * no markup of the target, bounded length. Lengths are UTF-16 code units.
 */

/** Length that summaries are cut to. */
export const SUMMARY_LENGTH = 200;
/** Length that descriptions are cut to. */
export const DESCRIPTION_LENGTH = 600;

/** Controls that separate words: tabs, line and paragraph ends. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/**
 * What shows nothing or reorders what is shown: C0 and C1 controls, format characters (bidi, zero width, tags, soft
 * hyphen, byte order mark), default-ignorable fillers and variation selectors, private use, noncharacters.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}]/gu;

/** More combining marks on one letter than any language writes. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

const LONE_SURROGATE = /\p{Cs}/gu;

const SENTENCE_END = /[.!?。！？](?=\s|$)/gu;

/** How much raw text is looked at for each unit of what may stay, so that a huge text costs little. */
const LOOK_AHEAD = 4;

/**
 * One line of plain text: breaks and runs of blanks become one blank, what is invisible goes, lone surrogates become
 * U+FFFD, and what is longer than `max` is cut at the end of a sentence, else of a word, and marked with an ellipsis.
 */
export function oneLine(text: string, max: number = DESCRIPTION_LENGTH): string {
  const wanted = text.slice(0, max * LOOK_AHEAD + 64);
  const clean = wanted
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(BREAKS, ' ')
    .replace(INVISIBLE, '')
    .replace(STACKED_MARKS, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return capped(clean, max, wanted.length < text.length);
}

/** Several lines of plain text (a log, an answer), each as `oneLine` leaves it; blank lines at both ends go. */
export function plainLines(text: string, maxLines: number, maxPerLine: number): string[] {
  const raw = text.slice(0, maxLines * maxPerLine * LOOK_AHEAD).split(/\r\n|[\n\r\u2028\u2029]/);
  const lines = raw.slice(0, maxLines).map((line) => oneLine(line, maxPerLine));
  while (lines.length > 0 && lines[0] === '') lines.shift();
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  if (raw.length > maxLines) lines.push('…');
  return lines;
}

/** One line for a terminal: escape sequences lose their introducer and so show as what they are, text. */
export function terminalText(text: string, max: number = DESCRIPTION_LENGTH): string {
  return oneLine(text, max);
}

/**
 * One line for a JSDoc comment in generated typings. It can neither close the comment nor start a tag, and since
 * editors render JSDoc as markdown, links, images, HTML and code marks are taken out of effect with look-alikes that
 * also read well in the file itself.
 */
export function jsDocText(text: string, max: number = DESCRIPTION_LENGTH): string {
  return withoutCommandLinks(oneLine(text, max))
    .replace(/\*(?=\/)/g, '* ')
    .replace(/\{(?=\s*@)/g, '{ ')
    .replace(/(^|\{\s*)@/g, '$1(at)')
    .replace(/!?\[/g, '(')
    .replace(/\]/g, ')')
    .replace(/</g, '‹')
    .replace(/>/g, '›')
    .replace(/`/g, "'");
}

/** One line of markdown that shows `text` as it is: every mark of markdown and HTML is escaped. */
export function markdownText(text: string, max: number = DESCRIPTION_LENGTH): string {
  return withoutCommandLinks(oneLine(text, max))
    .replace(/&/g, '&amp;')
    .replace(/[\\`*_{}[\]()#+\-.!|~>$=:@]/g, '\\$&')
    .replace(/</g, '&lt;');
}

/** Inline code of markdown: the fence is longer than any run of back quotes inside. */
export function markdownCode(text: string, max: number = DESCRIPTION_LENGTH): string {
  const clean = oneLine(text, max);
  const longest = Math.max(0, ...(clean.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = clean.startsWith('`') || clean.endsWith('`') || clean === '' ? ' ' : '';
  return `${fence}${pad}${clean}${pad}${fence}`;
}

/** Text or attribute value of XML or HTML (JUnit, webviews). */
export function xmlText(text: string, max: number = DESCRIPTION_LENGTH): string {
  return oneLine(text, max)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

/**
 * One line of a SARIF message: SARIF reads `[text](target)` as a link and `{0}` as the place of an argument, so both
 * lose their form.
 */
export function sarifMessage(text: string, max: number = DESCRIPTION_LENGTH): string {
  return withoutCommandLinks(oneLine(text, max))
    .replace(/\](?=\()/g, '] ')
    .replace(/\{(?=\d+\})/g, '{ ');
}

/**
 * A JavaScript (and TypeScript, and JSON) string literal with exactly this value: nothing is stripped, since a
 * property's name has to match; what is invisible is written as an escape. It cannot end a comment, a template or a
 * script element that it stands in.
 */
export function jsString(text: string): string {
  return JSON.stringify(text)
    .replace(INVISIBLE, escaped)
    .replace(LONE_SURROGATE, escaped)
    .replace(/<|\*(?=\/)|`|\$(?=\{)/g, escaped);
}

function escaped(characters: string): string {
  let text = '';
  for (let index = 0; index < characters.length; index += 1) {
    text += `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return text;
}

/** `command:` addresses run editor commands where a renderer trusts them; a blank makes them plain text. */
function withoutCommandLinks(text: string): string {
  return text.replace(/\b(command|javascript|vbscript|data|file|vscode[a-z-]*)\s*:(?=\S)/gi, '$1 :');
}

function capped(text: string, max: number, more: boolean): string {
  if (text.length <= max && !more) return text;
  const room = text.slice(0, max).replace(/\p{Cs}$/u, '');
  const sentence = lastSentenceEnd(room);
  if (sentence >= max * 0.4) return `${room.slice(0, sentence)} …`;
  const word = room.lastIndexOf(' ');
  return `${(word >= max * 0.4 ? room.slice(0, word) : room).trimEnd()}…`;
}

function lastSentenceEnd(text: string): number {
  let end = -1;
  for (const match of text.matchAll(SENTENCE_END)) end = match.index + match[0].length;
  return end;
}
