/** Every diagnostic code, in one place. Whoever says something to a person says it under one of these. */
import { contractById, contractIds } from './contracts/index.ts';
import type { Settings, SeverityChoice } from './settings.ts';
import type { Severity } from './surface/surface.ts';

/** Where it shows: an adapter's text, a grant, loadline.json, a vendor document, or an adapter after a run. */
export type DiagnosticPlace = 'adapter' | 'grant' | 'config' | 'document' | 'run';

export interface DiagnosticKind {
  code: string;
  /** The weight that it has where nothing else is set. A family may lower it where a case does no harm. */
  severity: Severity;
  /** One line, without a full stop. */
  title: string;
  place: DiagnosticPlace;
  /** Relative to `docs/diagnostics`, with the heading of a shared page behind `#`. */
  page: string;
  /** `// loadline-disable-next-line` may silence it. */
  silenceable: boolean;
  /** The editor's own JavaScript service says the same: of every file, or of a bound one alone. */
  editorSays?: 'always' | 'bound';
}

type Row = readonly [code: string, severity: Severity, title: string];

/** Rules on an adapter's text that a comment with a reason may silence. */
const LINTS: readonly Row[] = [
  ['dynamic-operation', 'warning', 'Which operation is called cannot be told from the text'],
  ['module-form', 'error', 'The sandbox cannot load a module of this form'],
  ['forbidden-global', 'error', 'A global that does not exist in the sandbox, or throws there'],
  ['contract-missing', 'error', 'A function of the contract is missing, misspelt or not async'],
  ['contract-shape', 'error', "A result does not have the contract's shape"],
  ['contract-code', 'error', "An error leaves the adapter without a code of the contract's"],
  ['client-type', 'error', 'A client call and the vendor document do not fit'],
  ['retry-without-identity', 'warning', 'A create is repeated without naming the order that it repeats'],
  ['refusal-from-doubt', 'warning', 'A failure is called a refusal that may be none'],
  ['unbounded-poll', 'warning', 'Status reads go on without the bound that they were given'],
  ['swallowed-error', 'warning', 'A failed call is passed over as if it had answered'],
];

/** Things to say about an adapter's text that no comment silences. */
const FIRM: readonly Row[] = [
  ['adapter-syntax', 'error', 'The file is not JavaScript'],
  ['not-granted', 'error', 'The operation is in the document and not in the grant'],
  ['unknown-operation', 'error', 'The vendor document has no such operation'],
  ['silence-without-reason', 'information', 'A comment silences a rule and does not say why'],
  ['unused-silence', 'information', 'A comment silences nothing'],
];

const GRANT: readonly Row[] = [
  ['grant-syntax', 'error', 'A line that is no route and no directive'],
  ['duplicate-route', 'warning', 'A route or directive that stands above already'],
  ['route-not-in-document', 'warning', 'The document has no such route'],
  ['unusable-route', 'warning', 'A granted operation that no client can call'],
  ['grant-unknown-query', 'warning', 'The operation has no such query key'],
  ['grant-unknown-header', 'warning', 'The operation has no such header'],
  ['grant-unknown-key', 'warning', 'The operation has nothing where the key points'],
  ['no-repeat-key', 'warning', 'A create that no adapter can repeat safely'],
  ['unused-grant', 'hint', 'Granted, and used by no adapter here'],
];

const CONFIG: readonly Row[] = [
  ['config-syntax', 'error', 'loadline.json is not JSON'],
  ['config-unknown-key', 'error', 'A key that loadline.json does not have'],
  ['config-missing-key', 'error', 'A key is missing'],
  ['config-value', 'error', 'A value that the key cannot have'],
  ['config-path', 'error', 'A path that leaves the folder'],
  ['config-file', 'error', 'A file that loadline.json names cannot be read'],
  ['config-unreadable', 'error', 'loadline.json cannot be read'],
];

const DOCUMENT: readonly Row[] = [
  ['document-unreadable', 'error', 'The vendor document cannot be read'],
  ['document-syntax', 'error', 'The text is not YAML or JSON'],
  ['document-not-openapi', 'error', 'The file is no OpenAPI document'],
  ['document-unsupported-version', 'error', 'A version of OpenAPI that is not read'],
  ['document-limit', 'error', 'The document is too large'],
  ['document-duplicate-key', 'error', 'A key stands twice in one object'],
  ['document-alias', 'error', 'A YAML alias that is not followed'],
  ['document-unknown-key', 'warning', 'A key that OpenAPI does not have here'],
  ['document-no-paths', 'error', 'There is nothing to call'],
  ['document-path', 'error', 'A path that cannot be called'],
  ['document-same-path', 'error', 'Two paths that differ in parameter names alone'],
  ['document-over-reach', 'information', 'A path that also fits the wildcard of another'],
  ['document-operation', 'error', 'An operation that is no object'],
  ['document-unsupported-method', 'warning', 'A method that cannot be brokered'],
  ['document-missing-operation-id', 'information', 'An operation without an operationId'],
  ['document-duplicate-operation-id', 'error', 'Two operations with one operationId'],
  ['document-name-clash', 'error', 'Two operations whose client names are the same'],
  ['document-reserved-name', 'error', 'An operationId that no client method can have'],
  ['document-callbacks', 'information', 'Callbacks are left out'],
  ['document-webhooks', 'information', 'Webhooks are left out'],
  ['document-parameter', 'error', 'A parameter that cannot be read'],
  ['document-parameter-in', 'error', 'A parameter in no known place'],
  ['document-parameter-style', 'warning', 'A parameter written in a way that is not supported'],
  ['document-parameter-content', 'warning', 'A parameter written as a media type'],
  ['document-cookie-parameter', 'warning', 'A parameter in a cookie'],
  ['document-undeclared-parameter', 'warning', 'A path parameter that is declared nowhere'],
  ['document-unused-parameter', 'warning', 'A path parameter that the path does not have'],
  ['document-optional-path-parameter', 'warning', 'A path parameter that is not marked required'],
  ['document-body', 'error', 'A request body that is no object'],
  ['document-body-media-type', 'warning', 'A request body that the client cannot send'],
  ['document-no-answers', 'warning', 'An operation without answers'],
  ['document-status', 'warning', 'An answer under something that is no status'],
  ['document-answer-media-type', 'information', 'An answer that is no JSON'],
  ['document-stream', 'information', 'An answer that is a stream'],
  ['document-schema', 'error', 'A schema that cannot be read'],
  ['document-schema-id', 'information', 'A schema with an address of its own'],
  ['document-type', 'error', 'A type that schemas do not have'],
  ['document-required', 'warning', 'A required property that is described nowhere'],
  ['document-enum', 'error', 'An enum that allows nothing, or not what the type says'],
  ['document-nullable', 'warning', 'nullable where it has no meaning'],
  ['document-pattern', 'warning', 'A pattern that is no regular expression'],
  ['document-discriminator', 'warning', 'A discriminator that cannot be used'],
  ['document-dangling-ref', 'error', 'A reference to nothing'],
  ['document-cyclic-ref', 'error', 'A reference that leads back to itself'],
  ['document-outside-ref', 'error', 'A reference out of the project folder'],
  ['document-url-ref', 'error', 'A reference to an address'],
  ['document-rule', 'warning', 'A rule of the OpenAPI specification is broken'],
];

const ADVICE: readonly Row[] = [
  ['advice/fan-out', 'information', 'Many calls where one answers them all'],
  ['advice/repeated-read', 'information', 'The same read again and again with the same answer'],
];

/** In verdict files: what `verify` says, by its kind. */
const VERDICT_FILE: readonly Row[] = [
  ['verdict-file/form', 'error', 'The bytes are not those that a signer writes'],
  ['verdict-file/signature', 'error', 'The signature does not belong to the line'],
  ['verdict-file/key', 'error', 'A key that the checkpoint does not name, or that is not trusted'],
  ['verdict-file/missing', 'error', 'A line or the checkpoint is not there'],
  ['verdict-file/order', 'error', 'A line stands where the checkpoint does not have it'],
  ['verdict-file/verdict', 'error', 'The verdict does not follow from its evidence'],
  ['verdict-file/version', 'warning', 'Rules that this version does not know'],
];

const SAID_BY_EDITOR = new Map<string, 'always' | 'bound'>([
  ['adapter-syntax', 'always'],
  ['contract-shape', 'bound'],
  ['client-type', 'bound'],
]);

function kinds(
  rows: readonly Row[],
  place: DiagnosticPlace,
  page: (code: string) => string,
  silenceable = false,
): DiagnosticKind[] {
  return rows.map(([code, severity, title]) => {
    const editorSays = SAID_BY_EDITOR.get(code);
    const kind = { code, severity, title, place, page: page(code), silenceable };
    return editorSays === undefined ? kind : { ...kind, editorSays };
  });
}

const ownPage = (code: string): string => `${code}.md`;
const within =
  (page: string) =>
  (code: string): string =>
    `${page}.md#${code.replace('/', '')}`;

/** Rules of every contract; two contracts may have a rule of one name, and share its page. */
function ruleRows(): Row[] {
  const titles = new Map<string, string>();
  for (const id of contractIds) {
    for (const rule of contractById(id)?.rules ?? []) {
      if (!titles.has(rule.id)) titles.set(rule.id, rule.title);
    }
  }
  return [...titles].map(([id, title]) => [`rule/${id}`, 'error', title]);
}

export const DIAGNOSTICS: readonly DiagnosticKind[] = [
  ...kinds(FIRM, 'adapter', ownPage),
  ...kinds(LINTS, 'adapter', ownPage, true),
  ...kinds(GRANT, 'grant', within('grant')),
  ...kinds(CONFIG, 'config', within('config')),
  ...kinds(DOCUMENT, 'document', within('document')),
  ...kinds(ruleRows(), 'run', ownPage),
  ...kinds([['stale-verdict', 'information', 'The file changed since it was judged']], 'run', ownPage),
  ...kinds(ADVICE, 'run', within('advice')),
  ...kinds(VERDICT_FILE, 'run', within('verdict-file')),
];

const BY_CODE: ReadonlyMap<string, DiagnosticKind> = new Map(DIAGNOSTICS.map((kind) => [kind.code, kind]));

/** The kind of that code, or undefined where there is none. */
export function diagnosticKind(code: string): DiagnosticKind | undefined {
  return BY_CODE.get(code);
}

/** The weight that something is said with: as set for its code, else as found. `off`: it is not said. */
export function severityOf(
  code: string,
  found: Severity,
  { severity }: Pick<Settings, 'severity'>,
): SeverityChoice {
  return Object.hasOwn(severity, code) ? (severity[code] ?? found) : found;
}
