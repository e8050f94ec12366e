/** What every feature of the language server gets, as of one moment. There is no connection in it. */
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import type { ScenarioItem } from '../../../shared/src/protocol.ts';
import type { RunResult } from '../../../shared/src/results.ts';
import type { Settings } from '../../../shared/src/settings.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';
import type { Analysis } from '../analysis/analysis.ts';
import type { AdapterFacts } from '../analysis/facts.ts';
import type { Project } from '../workspace/project.ts';

export type FileKind = 'adapter' | 'grant' | 'config' | 'document' | 'verdicts' | 'other';

/** What the editor can do, from its client capabilities. */
export interface EditorAbilities {
  snippets: boolean;
  /** It asks for what a completion says at length when that one is looked at. */
  resolvesCompletions: boolean;
  /** Members of `itemDefaults` of a completion list that it takes. */
  completionDefaults: readonly string[];
  markdown: boolean;
  relatedInformation: boolean;
  codeDescription: boolean;
  /** `workspace/textDocumentContent`, for virtual ledgers. */
  textDocumentContent: boolean;
  /** An edit may be given on resolve. */
  pullDiagnostics: boolean;
}

/** The folder that governs a file. */
export interface ProjectView {
  readonly project: Project;
  /** The newest surface that there was: for what is typed while a file of the project has an error. */
  readonly lastSurface: Surface | null;
  /** null: loadline.json is not usable. */
  readonly contract: Contract | null;
  /** Loads TypeScript on first need. null: there is no surface or no contract to analyse with. */
  analysis(): Promise<Analysis | null>;
  /**
   * The analysis with the text of one adapter in it: of the document, else the newest; what is asked of it before the
   * next `await` is about that text. null: there is no analysis or no such file.
   */
  analysisOf(adapter: string, document?: TextDocument): Promise<Analysis | null>;
  /** Adapters of the folder, those that are open and not saved yet among them. */
  adapters(): string[];
  /** Facts of one adapter (path relative to the folder), of the open text or else of the file. */
  facts(adapter: string): Promise<AdapterFacts | null>;
  /** Text as the editor holds it, else as it is on disk; null: there is no such file. */
  textOf(file: string): TextDocument | null;
  uriOf(file: string): string;
  /** Typings of client and contract, as they are written or as a virtual document; null: there is no surface. */
  typings(): { readonly document: TextDocument; readonly written: boolean } | null;
  readonly results: ResultsView;
}

/** What is known of the runs of one project's adapters. */
export interface ResultsView {
  /** One item per scenario of the contract. Empty: nothing can be known. */
  scenarios(adapter: string): readonly KnownScenario[];
  /** What explorations found in it; absent where nothing is kept. */
  found?(adapter: string): readonly KnownScenario[];
  /** What the lines of a verdict file (relative to the folder) are compared with; absent where nothing is. */
  comparison?(verdictFile: string): LineComparison;
}

export interface KnownScenario extends Omit<ScenarioItem, 'result'> {
  result?: RunResult;
  /** Of a result: the adapter that it is about. */
  judged?: JudgedText;
  /** No scenario of the contract: an exploration found it. */
  isFound?: true;
}

export interface JudgedText {
  /** Hex, of the bytes that ran. */
  sha256: string;
  /** null: the text is not at hand any more. */
  text: string | null;
}

/** Files as they are now, in the editor or on disk, and whose keys count. */
export interface LineComparison {
  /** URI of the adapter beside it; null: there is none. */
  readonly adapterUri: string | null;
  /** SHA-256 in hex; empty: there is no such file. */
  readonly adapter: string;
  readonly document: string;
  readonly grant: string;
  readonly config: string;
  /** Those of the key ids that are one's own, or that the settings name. */
  trusted(kids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The file that a feature is asked about. */
export interface FileContext {
  readonly uri: string;
  readonly kind: FileKind;
  readonly document: TextDocument;
  /** Relative to the project folder, with `/`; else the last part of the path. */
  readonly path: string;
  readonly view: ProjectView | null;
  readonly settings: Settings;
  readonly trusted: boolean;
  readonly editor: EditorAbilities;
  /** The editor's own JavaScript service speaks about this file in full. */
  readonly bound: boolean;
}
