import { expect, it } from 'vitest';
import { createRig } from '../../support/linux/command-rig.js';

// A backtracking engine would search for ages. These run in the process of the test: one that hangs fails it.

const LONG = 'a'.repeat(2000);

it.each([
  [['grep', '-E', '^(a+)+$'], `${LONG}b\n`, ''],
  [['grep', '\\(a*\\)*c'], `${LONG}\n`, ''],
  [['sed', '-E', 's/(a|aa)+$/x/'], `${LONG}b\n`, `${LONG}b\n`],
  [['awk', '/^(a+)+$/'], `${LONG}b\n`, ''],
  [['sh', '-c', `r='^(a+)+$'; [[ ${LONG}b =~ $r ]]; echo $?`], '', '1\n'],
  [['sh', '-c', `case ${LONG} in *a*a*a*a*a*a*b) echo no;; *) echo yes;; esac`], '', 'yes\n'],
  [['find', '/etc', '-name', '*a*a*a*a*a*a*a*a*a*b'], '', ''],
])('%s ends', async (argv, input, expected) => {
  expect((await createRig().run(argv, input)).stdout).toBe(expected);
});

const LONGEST = 'a'.repeat(200_000);

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: expansions of the shell
it.each([
  ['${x##*b}', `${LONGEST.length}`],
  ['${x%%b*}', `${LONGEST.length}`],
  ['${x//a*b/}', `${LONGEST.length}`],
  ['${x//aab/}', `${LONGEST.length}`],
  ['${x##*a}', '0'],
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: expansions of the shell
])('%s of a very long text takes linear time', async (expansion, expected) => {
  const { stdout } = await createRig().run(
    ['sh', '-c', `read x; y=${expansion}; echo \${#y}`],
    `${LONGEST}\n`,
  );
  expect(stdout).toBe(`${expected}\n`);
});

it.each([
  ['brackets that are never closed', `case x in ${'['.repeat(100_000)}) ;; *) echo done;; esac`],
  ['classes that are never closed', `case x in ${'[[:a:]'.repeat(20_000)}) ;; *) echo done;; esac`],
  ['a line of commands', `${':;'.repeat(3_000)} echo done`],
  ['a line of words', `: ${'x '.repeat(9_000)}; echo done`],
  ['a chain of ands', `${': && '.repeat(3_000)} echo done`],
  ['newlines before a word', `x=$(yes '' | head -n 300000; echo x); echo done`],
  ['slashes before a word', `basename ${'/'.repeat(200_000)}x >/dev/null; echo done`],
])('a script with %s ends', async (_, script) => {
  expect((await createRig().run(['sh'], `${script}\n`)).stdout).toBe('done\n');
});

it.each([
  ['commands', ':;'.repeat(100_000)],
  ['words', `: ${'x '.repeat(200_000)}`],
  ['ands', `${': && '.repeat(100_000)} :`],
  ['slashes', `basename ${'/'.repeat(500_000)}x`],
])('a line of too many %s is refused', async (_, script) => {
  const { stderr, status } = await createRig().run(['sh'], `${script}\n`);
  expect(stderr).toContain('command is too long');
  expect(status.code).toBe(2);
});

it.each([
  [['sed', '{'.repeat(50_000)], 'sed: blocks are nested too deeply\n'],
  [['grep', '\\(a\\)\\1'], "grep: bad regex '\\(a\\)\\1': backreferences such as \\1 are not supported\n"],
  [
    ['grep', '-E', '(a{100}){100}'],
    "grep: bad regex '(a{100}){100}': it is too large: 10100 steps, 1000 are allowed\n",
  ],
])('%.40s is refused with the reason', async (argv, expected) => {
  const { stderr, status } = await createRig().run(argv, 'aa\n');
  expect(stderr).toBe(expected);
  expect(status.code).not.toBe(0);
});
