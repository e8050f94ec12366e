/** Operators on values that may be unknown. */
import ts from 'typescript';
import { derived, freshOf, nameOf, type Prim, type Primitive, prim, type Value } from './value.ts';

const { SyntaxKind } = ts;

/** `==` and `===`; a symbol where it cannot be told. */
export function equal(a: Value, b: Value, isSame: boolean): Value {
  if (a.kind === 'prim' && b.kind === 'prim') {
    // biome-ignore lint/suspicious/noDoubleEquals: it is what the adapter wrote.
    return prim(isSame ? a.value === b.value : a.value == b.value);
  }
  if (a.kind === 'sym' || b.kind === 'sym') {
    if (nameOf(a) === nameOf(b)) return prim(true);
    const [unknown, other] = a.kind === 'sym' ? [a, b] : [b, a];
    // An argument is a text or an object, never null.
    const isNull = other.kind === 'prim' && (other.value === null || other.value === undefined);
    if (isNull && unknown.kind === 'sym' && unknown.origin === 'input') return prim(false);
    return derived('===', a, b);
  }
  return prim(a === b);
}

export function not(value: Value): Value {
  return value.kind === 'prim' ? prim(!value.value) : derived('!', value);
}

export function binary(operator: ts.SyntaxKind, a: Value, b: Value): Value {
  switch (operator) {
    case SyntaxKind.EqualsEqualsEqualsToken:
    case SyntaxKind.EqualsEqualsToken:
      return equal(a, b, operator === SyntaxKind.EqualsEqualsEqualsToken);
    case SyntaxKind.ExclamationEqualsEqualsToken:
    case SyntaxKind.ExclamationEqualsToken: {
      const same = equal(a, b, operator === SyntaxKind.ExclamationEqualsEqualsToken);
      return not(same);
    }
    case SyntaxKind.InKeyword:
      if (b.kind === 'object' && a.kind === 'prim') {
        if (b.fields.has(String(a.value))) return prim(true);
        return b.open === undefined ? prim(false) : derived('in', a, b.open);
      }
      return derived('in', a, b);
  }
  if (a.kind === 'prim' && b.kind === 'prim') return kept(computed(operator, a, b), a, b);
  return derived(ts.tokenToString(operator) ?? '?', a, b);
}

function kept(value: Primitive, ...from: Value[]): Value {
  const fresh = freshOf(...from);
  return fresh === undefined ? prim(value) : { kind: 'prim', value, fresh };
}

/** The operator on what is known, as the language has it. */
function computed(operator: ts.SyntaxKind, { value: left }: Prim, { value: right }: Prim): Primitive {
  // No adapter needs them, and mixing them with numbers throws.
  if (typeof left === 'bigint' || typeof right === 'bigint') return undefined;
  const a = Number(left);
  const b = Number(right);
  const areTexts = typeof left === 'string' && typeof right === 'string';
  switch (operator) {
    case SyntaxKind.PlusToken:
      return typeof left === 'string' || typeof right === 'string'
        ? `${left}${right}`.slice(0, 2_000)
        : a + b;
    case SyntaxKind.MinusToken:
      return a - b;
    case SyntaxKind.AsteriskToken:
      return a * b;
    case SyntaxKind.AsteriskAsteriskToken:
      return a ** b;
    case SyntaxKind.SlashToken:
      return a / b;
    case SyntaxKind.PercentToken:
      return a % b;
    case SyntaxKind.LessThanToken:
      return areTexts ? left < right : a < b;
    case SyntaxKind.LessThanEqualsToken:
      return areTexts ? left <= right : a <= b;
    case SyntaxKind.GreaterThanToken:
      return areTexts ? left > right : a > b;
    case SyntaxKind.GreaterThanEqualsToken:
      return areTexts ? left >= right : a >= b;
    case SyntaxKind.LessThanLessThanToken:
      return a << b;
    case SyntaxKind.GreaterThanGreaterThanToken:
      return a >> b;
    case SyntaxKind.GreaterThanGreaterThanGreaterThanToken:
      return a >>> b;
    case SyntaxKind.AmpersandToken:
      return a & b;
    case SyntaxKind.BarToken:
      return a | b;
    case SyntaxKind.CaretToken:
      return a ^ b;
    default:
      return undefined;
  }
}

/** The operator of `+=`, `??=` and their kind. */
export const ASSIGNMENTS: ReadonlyMap<ts.SyntaxKind, ts.SyntaxKind> = new Map([
  [SyntaxKind.PlusEqualsToken, SyntaxKind.PlusToken],
  [SyntaxKind.MinusEqualsToken, SyntaxKind.MinusToken],
  [SyntaxKind.AsteriskEqualsToken, SyntaxKind.AsteriskToken],
  [SyntaxKind.AsteriskAsteriskEqualsToken, SyntaxKind.AsteriskAsteriskToken],
  [SyntaxKind.SlashEqualsToken, SyntaxKind.SlashToken],
  [SyntaxKind.PercentEqualsToken, SyntaxKind.PercentToken],
  [SyntaxKind.LessThanLessThanEqualsToken, SyntaxKind.LessThanLessThanToken],
  [SyntaxKind.GreaterThanGreaterThanEqualsToken, SyntaxKind.GreaterThanGreaterThanToken],
  [SyntaxKind.AmpersandEqualsToken, SyntaxKind.AmpersandToken],
  [SyntaxKind.BarEqualsToken, SyntaxKind.BarToken],
  [SyntaxKind.CaretEqualsToken, SyntaxKind.CaretToken],
  [SyntaxKind.QuestionQuestionEqualsToken, SyntaxKind.QuestionQuestionToken],
  [SyntaxKind.BarBarEqualsToken, SyntaxKind.BarBarToken],
  [SyntaxKind.AmpersandAmpersandEqualsToken, SyntaxKind.AmpersandAmpersandToken],
]);
