/** Text to placed tree: picks the parser by extension and first character. Never throws on a text. */
import type { SourceText } from '../../../shared/src/surface/sourceText.ts';
import { parseJson } from './parseJson.ts';
import { parseYaml } from './parseYaml.ts';
import type { ParsedTree } from './problems.ts';

export function parseTree(source: SourceText): ParsedTree {
  const first = source.text.match(/\S/)?.[0];
  if (first !== '{' && first !== '[') return parseYaml(source);
  const json = parseJson(source);
  // YAML's flow style starts with the same signs.
  if (json.problems.length === 0 || source.file.endsWith('.json')) return json;
  const yaml = parseYaml(source);
  return yaml.problems.length < json.problems.length ? yaml : json;
}
