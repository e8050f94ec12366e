/** The semantic core over one language service. Imports TypeScript: load it by `loadAnalysis`. */
import type ts from 'typescript';
import {
  type AdapterContext,
  type AdapterText,
  AnalysedAdapter,
  adapterContext,
  adapterText,
} from './adapter.ts';
import type { Analysis, AnalysisInput } from './analysis.ts';
import { completions } from './completions.ts';
import { declarationsOf } from './declarations.ts';
import { exportFacts, extraExports } from './exportFacts.ts';
import type { AdapterFacts, SignatureFact, Subject, Suggestion } from './facts.ts';
import { flowFactsOf } from './flow/flow.ts';
import type { FlowFacts } from './flow/flowFacts.ts';
import { moduleForm, syntaxErrors } from './form.ts';
import { freeNames } from './freeNames.ts';
import { LanguageService } from './languageService.ts';
import { signatureAt } from './signatures.ts';
import { silencesOf } from './silences.ts';
import { subjectAt } from './subjects.ts';
import { thrownFacts } from './thrown.ts';
import { typeFindings } from './typeDiagnostics.ts';
import { useFacts } from './useFacts.ts';

export function createAnalysis(input: AnalysisInput): Analysis {
  return new ProjectAnalysis(input);
}

/** What is said in place of all else about a text that cannot be analysed. */
const TOO_DEEP = {
  message: 'This file is nested too deeply to be analysed; split its longest expression.',
  span: { start: 0, end: 0 },
};

interface FileState {
  text: string;
  /** Made from the text and the configuration; undefined until it is asked for. */
  parsed?: AdapterText;
  facts?: AdapterFacts;
  flow?: FlowFacts;
}

class ProjectAnalysis implements Analysis {
  readonly #service = new LanguageService();
  readonly #files = new Map<string, FileState>();
  #context: AdapterContext;

  constructor(input: AnalysisInput) {
    this.#context = adapterContext(input.surface, input.contract);
    this.#declare();
  }

  configure({ surface, contract }: AnalysisInput): void {
    const before = this.#context;
    this.#context = adapterContext(surface, contract);
    if (!isSame(before.surface, surface) || before.contract !== contract) this.#declare();
    for (const [file, { text }] of this.#files) this.#files.set(file, { text });
  }

  setFile(file: string, text: string): void {
    if (this.#files.get(file)?.text !== text) this.#files.set(file, { text });
  }

  removeFile(file: string): void {
    if (this.#files.delete(file)) this.#service.remove(scriptName(file));
  }

  facts(file: string): AdapterFacts {
    const state = this.#state(file);
    state.facts ??= this.#readFacts(file);
    return state.facts;
  }

  flow(file: string): FlowFacts {
    const state = this.#state(file);
    state.flow ??= flowFactsOf(this.#analyse(file).adapter);
    return state.flow;
  }

  complete(file: string, offset: number): Suggestion[] {
    const { adapter, parsed } = this.#analyse(file);
    if (parsed.tooDeep) return [];
    const name = scriptName(file);
    return completions({ adapter, service: this.#service, name, real: parsed.virtual.real, offset });
  }

  subject(file: string, offset: number): Subject | null {
    const { adapter, parsed } = this.#analyse(file);
    return parsed.tooDeep ? null : subjectAt(adapter, offset);
  }

  signature(file: string, offset: number): SignatureFact | null {
    const { adapter, parsed } = this.#analyse(file);
    return parsed.tooDeep ? null : signatureAt(adapter, offset);
  }

  dispose(): void {
    this.#files.clear();
    this.#service.dispose();
  }

  #declare(): void {
    const { surface, contract } = this.#context;
    for (const [name, text] of declarationsOf(surface, contract)) this.#service.set(name, text);
  }

  #state(file: string): FileState {
    const state = this.#files.get(file);
    if (state === undefined) throw new RangeError(`No adapter "${file}" was set.`);
    return state;
  }

  /** Every file's virtual text is brought up to date before the program is asked for. */
  #analyse(file: string): { adapter: AnalysedAdapter; parsed: AdapterText; program: ts.Program } {
    for (const [name, state] of this.#files) {
      if (state.parsed !== undefined) continue;
      state.parsed = adapterText(scriptName(name), state.text, this.#context);
      this.#service.set(scriptName(name), state.parsed.virtual.text);
    }
    const { parsed } = this.#state(file);
    if (parsed === undefined) throw new Error(`Adapter "${file}" was not parsed.`);
    const program = this.#service.program();
    const sourceFile = this.#service.sourceFile(program, scriptName(file));
    const adapter = new AnalysedAdapter(
      file,
      sourceFile,
      program.getTypeChecker(),
      parsed.virtual,
      this.#context,
    );
    return { adapter, parsed, program };
  }

  #readFacts(file: string): AdapterFacts {
    const { adapter, parsed, program } = this.#analyse(file);
    const { real, model, virtual } = parsed;
    const syntactic = program.getSyntacticDiagnostics(adapter.sourceFile);
    return {
      syntaxErrors: parsed.tooDeep ? [TOO_DEEP] : syntaxErrors(syntactic, virtual),
      form: moduleForm(real, model, syntactic, virtual),
      exports: exportFacts(adapter),
      extras: extraExports(adapter),
      uses: useFacts(adapter),
      freeNames: freeNames(real, model.scopes),
      types: typeFindings(adapter, program),
      thrown: thrownFacts(adapter),
      silences: silencesOf(real),
    };
  }
}

/** TypeScript tells the kind of a file by its ending. */
function scriptName(file: string): string {
  return file.endsWith('.js') ? file : `${file}.js`;
}

function isSame(before: AnalysisInput['surface'], after: AnalysisInput['surface']): boolean {
  if (before === after) return true;
  const { document, grant } = after.digests;
  return (
    document !== '' &&
    grant !== '' &&
    before.client === after.client &&
    before.digests.document === document &&
    before.digests.grant === grant
  );
}
