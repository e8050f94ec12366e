import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Analysis } from '../../../server/src/analysis/analysis.ts';
import { loadAnalysis } from '../../../server/src/analysis/loadAnalysis.ts';
import { loadProject } from '../../../server/src/workspace/project.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { exampleFolder } from '../../support/loadline.ts';

/** The analysis of the example folder: its document, its grant, its contract. */
export async function fleetAnalysis(): Promise<Analysis> {
  const create = await loadAnalysis();
  const { surface } = await loadProject(exampleFolder);
  const contract = contractById('fleet/1');
  if (surface === null || contract === undefined) throw new Error('The example is not usable.');
  return create({ surface, contract });
}

export function example(file: string): string {
  return readFileSync(join(exampleFolder, file), 'utf8');
}

/** The text without its `|`, and where that stood. */
export function cursor(marked: string): { text: string; offset: number } {
  const offset = marked.indexOf('|');
  return { text: marked.slice(0, offset) + marked.slice(offset + 1), offset };
}
