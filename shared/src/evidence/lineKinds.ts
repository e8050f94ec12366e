/** The kinds of lines that a checkpoint seals. A further kind is one entry here and its statement's type. */
import { examRules } from './examLines.ts';
import type { LineRules } from './lineRules.ts';
import { probeRules } from './probeLines.ts';
import {
  type JudgedKind,
  type JudgedStatement,
  type JudgedStatements,
  PREDICATE_TYPES,
} from './statement.ts';
import { verdictRules } from './verdictLines.ts';

const LINE_KINDS: { readonly [Kind in JudgedKind]: LineRules<JudgedStatements[Kind]> } = {
  verdict: verdictRules,
  probe: probeRules,
  exam: examRules,
};

const BY_TYPE: ReadonlyMap<unknown, JudgedKind> = new Map(
  (Object.keys(LINE_KINDS) as JudgedKind[]).map((kind) => [PREDICATE_TYPES[kind], kind]),
);

/** The kind of a statement with that predicate type, or undefined. */
export function kindOfType(predicateType: unknown): JudgedKind | undefined {
  return BY_TYPE.get(predicateType);
}

/** Rules of a line of that kind; they take statements of that kind alone. */
export function rulesOfKind(kind: JudgedKind): LineRules {
  return LINE_KINDS[kind];
}

/** Rules of a statement whose form was checked. */
export function rulesOfStatement({ predicateType }: JudgedStatement): LineRules {
  const kind = kindOfType(predicateType);
  if (kind === undefined) throw new TypeError(`There are no lines of the type ${predicateType}.`);
  return rulesOfKind(kind);
}
