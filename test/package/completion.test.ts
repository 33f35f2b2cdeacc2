import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { bashScript } from '../../src/cli/commands/completion/bash.js';
import { fishScript } from '../../src/cli/commands/completion/fish.js';
import { completionTree } from '../../src/cli/commands/completion/tree.js';
import { zshScript } from '../../src/cli/commands/completion/zsh.js';
import { createProgram } from '../../src/cli/program.js';
import { useTemporaryDirectory } from '../support/temporary.js';

const directory = useTemporaryDirectory();

let script = '';
beforeAll(async () => {
  script = join(directory, 'mockri.bash');
  writeFileSync(script, bashScript(completionTree(await createProgram())));
  writeFileSync(join(directory, 'my-scenario.yaml'), '');
});

/** What bash offers at the end of a command line, as readline asks for it. */
function offered(...words: string[]): string[] {
  const line = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mockri; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const options = { cwd: directory, encoding: 'utf8' } as const;
  const output = execFileSync('bash', ['-uc', line, 'bash', script, 'mockri', ...words], options);
  return output.split('\n').filter((word) => word !== '');
}

test.each([
  [['ser'], ['serve']],
  [['fault', 'a'], ['add']],
  [['fault', 'add', '--na'], ['--name']],
  [['help', 'sim'], ['simulate']],
  [['serve', '--back'], ['--backend']],
  [['serve', '--backend', 'd'], ['docker']],
  [
    ['serve', '--backend', '='],
    ['memory', 'docker', 'remote', 'tape'],
  ],
  [['serve', '--backend', '=', 'me'], ['memory']],
  [['simulate', '--output', 'h'], ['html']],
  [['simulate', 'crash-loop-b'], ['crash-loop-back-off']],
  [['simulate', 'my'], ['my-scenario.yaml']],
  [
    ['tape', 'judge', '--output', 'j'],
    ['json', 'junit'],
  ],
  [['completion', 'f'], ['fish']],
  // A value of any kind: bash then offers files itself.
  [['serve', '--record', 'x'], []],
])('bash completes mockri %j', (words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

test('every command and option is completed in all three shells', async () => {
  const tree = completionTree(await createProgram());
  expect(tree.length).toBeGreaterThan(20);
  const texts = [bashScript, zshScript, fishScript].map((make) => make(tree));
  for (const { path, commands, options } of tree)
    for (const { word } of [...commands, ...options])
      for (const text of texts) expect(text, `${path} ${word}`).toContain(word.replace(/^--/, ''));
});
