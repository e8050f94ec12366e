/** The exports of an ES module as `module.exports`, where each is a plain declaration or a list of names. */
import ts from 'typescript';
import type { TextSpan } from './facts.ts';

interface TextEdit {
  span: TextSpan;
  newText: string;
}

/**
 * Edits of the file's own text, or undefined where it imports, exports anew from elsewhere, or mixes a default with
 * names: there is no simple answer then.
 */
export function commonJsEdits(sourceFile: ts.SourceFile): TextEdit[] | undefined {
  const edits: TextEdit[] = [];
  const members: string[] = [];
  let isDefault = false;
  for (const statement of sourceFile.statements) {
    if (ts.isImportDeclaration(statement) || ts.isImportEqualsDeclaration(statement)) return undefined;
    if (ts.isExportAssignment(statement)) {
      isDefault = true;
      const span = { start: statement.getStart(sourceFile), end: statement.expression.getStart(sourceFile) };
      edits.push({ span, newText: 'module.exports = ' });
    } else if (ts.isExportDeclaration(statement)) {
      const listed = listedNames(statement);
      if (listed === undefined) return undefined;
      members.push(...listed);
      edits.push({ span: { start: statement.getStart(sourceFile), end: statement.end }, newText: '' });
    } else {
      const word = exportWord(statement);
      if (word === undefined) continue;
      const declared = declaredNames(statement);
      if (declared === undefined) return undefined;
      members.push(...declared);
      edits.push({
        span: { start: word.getStart(sourceFile), end: afterBlanks(sourceFile, word.end) },
        newText: '',
      });
    }
  }
  if (isDefault) return members.length === 0 ? edits : undefined;
  if (members.length === 0) return undefined;
  const { text } = sourceFile;
  const before = text.endsWith('\n') ? '\n' : '\n\n';
  const newText = `${before}module.exports = { ${members.join(', ')} };\n`;
  return [...edits, { span: { start: text.length, end: text.length }, newText }];
}

function exportWord(statement: ts.Statement): ts.Modifier | undefined {
  if (!ts.canHaveModifiers(statement)) return undefined;
  return ts.getModifiers(statement)?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

/** Undefined where a name cannot be read off, as in a pattern, or where it is exported as the default. */
function declaredNames(statement: ts.Statement): string[] | undefined {
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
    const isDefault = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true;
    return statement.name === undefined || isDefault ? undefined : [statement.name.text];
  }
  if (!ts.isVariableStatement(statement)) return undefined;
  const names = statement.declarationList.declarations.flatMap(({ name }) =>
    ts.isIdentifier(name) ? [name.text] : [],
  );
  return names.length === statement.declarationList.declarations.length ? names : undefined;
}

function listedNames({ exportClause, moduleSpecifier }: ts.ExportDeclaration): string[] | undefined {
  if (moduleSpecifier !== undefined || exportClause === undefined || !ts.isNamedExports(exportClause)) {
    return undefined;
  }
  const names = exportClause.elements.map(({ name, propertyName }) =>
    propertyName === undefined ? name.text : `${name.text}: ${propertyName.text}`,
  );
  return names.some((name) => /(^|: )default\b|^default/.test(name)) ? undefined : names;
}

function afterBlanks({ text }: ts.SourceFile, offset: number): number {
  const blanks = text.slice(offset).search(/[^ \t]/);
  return offset + Math.max(0, blanks);
}
