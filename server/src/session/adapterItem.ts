/** An adapter and what is known of its runs, as the editor lists it. */
import type { AdapterItem, ScenarioItem } from '../../../shared/src/protocol.ts';
import type { KnownScenario } from '../language/feature.ts';
import type { Target } from './qualifyRun.ts';

export function adapterItem({ uri, project, file, results }: Target): AdapterItem {
  const text = project.textOf(file);
  const at = text === null ? -1 : text.getText().search(/\bmodule\.exports\b|\bexports\./);
  return {
    uri,
    project: project.uriOf('loadline.json'),
    name: file,
    contract: project.contract?.id ?? '',
    line: text === null || at < 0 ? 0 : text.positionAt(at).line,
    scenarios: results.scenarios(file).map(shown),
    found: results.found(file).map(shown),
  };
}

/** Without its evidence, which is asked for by itself. */
function shown({ result, isFound: _found, judged: _judged, ...known }: KnownScenario): ScenarioItem {
  if (result === undefined) return known;
  const { evidence: _, ...told } = result;
  return { ...known, result: told };
}
