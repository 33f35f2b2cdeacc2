import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Exceptions: generated code has the comments of the proto file, and checks describe themselves by id, rule and
 * source.
 */
const without = ['src/cri/gen/', 'src/runtime/nri/gen/', 'src/suite/conformance/specs/'];

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

const DECLARATION =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum|namespace) (\w+|\{ \w+: .*\})/;

/** `file:line: name` of each exported declaration without a doc comment. The formatter puts both at the start of a line. */
function undocumented(file: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const name = DECLARATION.exec(line)?.[1];
    if (name === undefined) return [];
    const before = lines.slice(0, index).findLast((each) => !each.startsWith('//')) ?? '';
    return /^( \*\/|\/\*\* .*\*\/| \* .*\*\/)$/.test(before) ? [] : [`${file}:${index + 1}: ${name}`];
  });
}
