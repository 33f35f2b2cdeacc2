import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Exceptions: generated code has the comments of the proto file, and checks describe themselves by id, rule and
 * source.
 */
const without = ['src/cri/gen/', 'src/nri/gen/', 'src/conformance/specs/'];

test('every export has a doc comment', () => {
  const files = ['src', 'adapters'].flatMap(sources);
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => undocumented(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

test('an export without a doc comment is found', () => {
  const text =
    '// No doc comment.\nexport const a = 1;\n/** One. */\nexport const b = 2;\nexport type C = 3;\n';
  expect(undocumented('x.ts', text)).toEqual(['x.ts:2: a', 'x.ts:5: C']);
});

function sources(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => !without.some((prefix) => file.startsWith(prefix)));
}

/** `file:line: name` of each exported declaration without a doc comment. */
function undocumented(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return source.statements.filter(isExported).flatMap((statement) => {
    const comments = ts.getLeadingCommentRanges(text, statement.pos) ?? [];
    if (comments.some(({ pos }) => text.startsWith('/**', pos))) return [];
    const { line } = source.getLineAndCharacterOfPosition(statement.getStart());
    return namesOf(statement).map((name) => `${file}:${line + 1}: ${name}`);
  });
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  return [ts.getNameOfDeclaration(statement as ts.DeclarationStatement)?.getText() ?? 'default'];
}
