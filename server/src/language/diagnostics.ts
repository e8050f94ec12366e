/** Every diagnostic of one file, from the providers of its kind. */
import type { Diagnostic } from 'vscode-languageserver';
import { adapterDiagnostics } from './adapterDiagnostics.ts';
import type { FileContext } from './feature.ts';
import { grantDiagnostics, projectDiagnostics } from './projectDiagnostics.ts';
import { runDiagnostics } from './runDiagnostics.ts';

export type DiagnosticProvider = (context: FileContext) => Promise<Diagnostic[]>;

/** Each speaks for the kinds it knows and is silent on others. */
export const PROVIDERS: readonly { name: string; provide: DiagnosticProvider }[] = [
  { name: 'project', provide: projectDiagnostics },
  { name: 'grant', provide: grantDiagnostics },
  { name: 'adapter', provide: adapterDiagnostics },
  { name: 'run', provide: runDiagnostics },
];
