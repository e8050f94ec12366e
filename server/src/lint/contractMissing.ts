import { nearest } from '../../../shared/src/nearest.ts';
import type { ExportFact, ExtraExport, TextSpan } from '../analysis/facts.ts';
import { type Edit, type Fix, type Found, found, type LintInput, listed, quickFix } from './finding.ts';
import { parametersOf, skeletonMember } from './skeleton.ts';

/** Functions that are not there, that are there under another spelling, and that give no promise. */
export function contractMissing(input: LintInput): Found[] {
  const { facts, contract } = input;
  if (facts.form.kind !== 'commonjs') return [];
  const exported = new Set(facts.exports.map(({ name }) => name));
  const missing = contract.exports.map(({ name }) => name).filter((name) => !exported.has(name));
  const misspelt = misspellings(facts.extras, missing);
  const absent = missing.filter((name) => !misspelt.has(name));
  return [
    ...[...misspelt].map(([name, extra]) => wrongName(input, name, extra)),
    ...(absent.length > 0 ? [nowhere(input, absent, facts.form.exports)] : []),
    ...facts.exports.flatMap((fact) => notAsync(input, fact)),
  ];
}

/** Each missing function with the exported name that is nearest to it; no exported name stands for two. */
function misspellings(extras: readonly ExtraExport[], missing: readonly string[]): Map<string, ExtraExport> {
  const meant = new Map<string, ExtraExport>();
  for (const extra of extras) {
    const open = missing.filter((name) => !meant.has(name));
    const name = nearest(extra.name, open);
    if (name !== undefined) meant.set(name, extra);
  }
  return meant;
}

function wrongName({ file, text, contract }: LintInput, name: string, extra: ExtraExport): Found {
  const message = `The contract ${contract.id} has no function "${extra.name}" and misses "${name}". Did you mean that?`;
  const { start, end } = extra.span;
  const quote = text[start] ?? '';
  const isShorthand = /^\s*[,}]/.test(text.slice(end)) && /[{,]\s*$/.test(text.slice(0, start));
  const bare = /['"`]/.test(quote) ? `${quote}${name}${quote}` : name;
  const newText = isShorthand ? `${bare}: ${text.slice(start, end)}` : bare;
  const fixes = [quickFix(`Export it as ${name}`, [{ file, span: extra.span, newText }], true)];
  return found('contract-missing', message, extra.span, { fixes });
}

function nowhere(input: LintInput, names: readonly string[], exports: TextSpan): Found {
  const them = names.length === 1 ? 'it' : 'them';
  const message = `The contract ${input.contract.id} needs ${listed(names)}, and this file does not export ${them}.`;
  return found('contract-missing', message, headOf(input.text, exports), {
    fixes: [addSkeletons(input, names, exports)],
  });
}

/** Of `module.exports = {…}` what stands before the `=`. */
function headOf(text: string, { start, end }: TextSpan): TextSpan {
  const head = /^[\w$.[\]'"]+/.exec(text.slice(start, end))?.[0].length ?? end - start;
  return { start, end: start + head };
}

/** Into the exported object where that is written out, else as assignments at the end of the file. */
function addSkeletons({ file, text, contract }: LintInput, names: readonly string[], exports: TextSpan): Fix {
  const brace = /^module\.exports\s*=\s*(?:Object\.freeze\(\s*)?\{/.exec(text.slice(exports.start))?.[0]
    .length;
  const edit =
    brace === undefined
      ? { at: text.length, newText: `${text.endsWith('\n') ? '' : '\n'}${assignments()}` }
      : { at: exports.start + brace, newText: members() };
  const edits: Edit[] = [{ file, span: { start: edit.at, end: edit.at }, newText: edit.newText }];
  return quickFix(`Add ${listed(names)}`, edits, true);

  function members(): string {
    return names.map((name) => `\n  ${skeletonMember(contract, name, '  ')},`).join('\n');
  }

  function assignments(): string {
    return names
      .map((name) => {
        const parameters = parametersOf(contract.exports.find((each) => each.name === name)).join(', ');
        const { unresolved } = contract.statics.errorCodes;
        const body = `throw Object.assign(new Error('${name} is not written yet'), { code: '${unresolved}' });`;
        return `\nmodule.exports.${name} = async (${parameters}) => {\n  ${body}\n};\n`;
      })
      .join('');
  }
}

function notAsync({ file, text }: LintInput, { name, span, async, function: body }: ExportFact): Found[] {
  if (async === 'generator') {
    const message = `${name} is a generator: the contract's function gives a promise of one result.`;
    return [found('contract-missing', message, span)];
  }
  if (async !== 'no') return [];
  const message = `${name} is not async: the contract's function gives a promise.`;
  const canBe = body !== null && !/^(static|get|set)\s/.test(text.slice(body.start, body.end));
  const edit = { file, span: { start: body?.start ?? 0, end: body?.start ?? 0 }, newText: 'async ' };
  return [
    found('contract-missing', message, span, {
      fixes: canBe ? [quickFix('Make it async', [edit], true)] : [],
    }),
  ];
}
