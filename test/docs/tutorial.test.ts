import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/command.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const page = readFileSync(new URL('../../docs/tutorial.md', import.meta.url), 'utf8');
const directory = useTemporaryDirectories();

const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
const [alone = '', faults = '', expectation = '', fixed = ''] = blocks('yaml');
const [shown = '', explained = '', failed = '', late = ''] = blocks('console');

test.each([
  ['the pod alone', 'web.yaml', alone, shown],
  ['with a fault', 'web.yaml', alone + faults, explained],
  ['with an expectation', 'web.yaml', alone + faults + expectation, failed],
  ['with a longer timeout', 'fixed.yaml', fixed, late],
])('docs/tutorial.md shows what the command prints: %s', async (_, name, scenario, block) => {
  const cwd = directory();
  writeFileSync(join(cwd, name), scenario);
  const [command = '', ...output] = block.trimEnd().split('\n');
  const args = command.replace('$ npx mockri ', '').split(' ');
  const before = process.cwd();
  process.chdir(cwd);
  const { out, err } = await runCommand(...args).finally(() => process.chdir(before));
  const printed = block === failed ? err : out;
  expect(printed.trimEnd().split('\n')).toEqual(output);
});
