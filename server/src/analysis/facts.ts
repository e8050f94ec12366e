/**
 * What is known about one adapter from its text: plain values without a node of the parser, so that rules and features
 * read them without knowing how they were found. Offsets are UTF-16 code units of the author's text.
 */

/** From `start` up to and without `end`. */
export interface TextSpan {
  start: number;
  end: number;
}

/** How the file gives its functions away. */
export type ModuleForm =
  | { kind: 'commonjs'; exports: TextSpan }
  /**
   * `exports`: the first import or export. `commonJs`: what turns the exports into `module.exports`; absent where that
   * is not simple.
   */
  | { kind: 'esm'; exports: TextSpan; commonJs?: { span: TextSpan; newText: string }[] }
  /** Type annotations and other words that Node does not run. */
  | { kind: 'typescript'; exports: TextSpan }
  /** Nothing is exported. */
  | { kind: 'none' };

/** One function of the contract as this file exports it. */
export interface ExportFact {
  name: string;
  /** The name where it is exported. */
  span: TextSpan;
  /** The whole function that implements it, or null where it could not be followed. */
  function: TextSpan | null;
  /** `unknown`: it could not be followed. A function that returns a promise without the word counts as async. */
  async: 'yes' | 'no' | 'generator' | 'unknown';
}

/** An exported name that the contract does not know. */
export interface ExtraExport {
  name: string;
  span: TextSpan;
}

/** One use of the client. */
export interface ClientUse {
  /**
   * `call`: an operation is called. `reference`: it is named and not called. `dynamic`: which operation cannot be told.
   * `unknown`: a member that the document does not have.
   */
  kind: 'call' | 'reference' | 'dynamic' | 'unknown';
  /** Name of the operation; of `unknown` the name written; null for `dynamic`. */
  name: string | null;
  /** The member's name (or the bracketed expression). */
  span: TextSpan;
  /** The whole call or reference. */
  whole: TextSpan;
  /** Exports of the contract whose code reaches it, by calls within the file. Empty: none was found. */
  reachedFrom: string[];
  /** Of `dynamic`: a sentence without a full stop that says how the client is used. */
  how?: string;
}

/** A name that this file does not declare. */
export interface FreeName {
  name: string;
  span: TextSpan;
  /** `typeof name` alone: it may be absent. */
  guarded: boolean;
}

/** Something that the type checker says, and that counts (places and codes are chosen, most are dropped). */
export interface TypeFinding {
  /** `call`: arguments of a client call. `answer`: a member that an answer does not have. `shape`: a result of the contract. `error`: a member of the client's error. */
  about: 'call' | 'answer' | 'shape' | 'error';
  /** Of `shape`: the export. Of `call`: the operation. */
  name: string | null;
  message: string;
  span: TextSpan;
}

/** An error thrown out of an export of the contract. */
export interface ThrownFact {
  export: string;
  span: TextSpan;
  /** The literal code that it carries; `none`: it carries none; `unknown`: it could not be told. */
  code: { kind: 'literal'; value: string; span: TextSpan } | { kind: 'none' } | { kind: 'unknown' };
}

/** A comment that silences rules on the next line. */
export interface Silence {
  codes: string[];
  reason: string;
  /** 0-based line that it silences. */
  line: number;
  span: TextSpan;
}

export interface AdapterFacts {
  syntaxErrors: { message: string; span: TextSpan }[];
  form: ModuleForm;
  exports: ExportFact[];
  extras: ExtraExport[];
  uses: ClientUse[];
  freeNames: FreeName[];
  types: TypeFinding[];
  thrown: ThrownFact[];
  silences: Silence[];
}

/** One entry of a completion list. */
export interface Suggestion {
  label: string;
  kind: 'operation' | 'property' | 'value' | 'export';
  /** What is put in place of `replaces`; a snippet where `snippet` is true. */
  insert: string;
  snippet: boolean;
  replaces: TextSpan;
  /** One line; foreign text is raw and goes through the text gate. */
  detail?: string;
  documentation?: string;
  /** Of an operation: its name in the surface. */
  operation?: string;
  sortText: string;
}

/** What stands under the cursor, as far as it is ours to speak about. */
export type Subject =
  | { kind: 'operation'; name: string; span: TextSpan }
  | { kind: 'export'; name: string; span: TextSpan }
  /** A member of a body, an answer or an option: its type as text. */
  | { kind: 'member'; name: string; type: string; documentation: string; span: TextSpan };

export interface SignatureFact {
  operation: string;
  label: string;
  /** Spans within `label`. */
  parameters: { span: TextSpan; documentation?: string }[];
  active: number;
}
