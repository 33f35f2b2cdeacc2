import { afterAll, expect, it } from 'vitest';
import { countOf } from '../../support/thorough.js';
import { LONG_PATIENCE } from './observer.js';
import { randomOrders } from './random-orders.js';
import { ScriptRunner } from './script-runner.js';

const count = countOf(50, 10);

const runner = new ScriptRunner();
afterAll(() => runner.close());

/** scripts.ts runs more. */
it(`${count} random scripts take only the memory that their container pays for, don’t block others, and end or are killed`, async () => {
  let killed = 0;
  for (const order of randomOrders(1, count)) {
    const { effect, wrong, functions } = await runner.run(order);
    expect({ ...order, wrong, functions }).toEqual({ ...order, wrong: undefined, functions: undefined });
    if (effect?.isKilled) killed++;
  }
  // Scripts that only end would show nothing.
  expect(killed).toBeGreaterThan(count / 20);
});

const repeat = (times: number, command: string) =>
  `n=0; while [ $n -lt ${times} ]; do ${command}; n=$((n+1)); done; `;
/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's. */
/** Two million characters, and a hundred thousand parameters. */
const TEXT = `a=x; ${repeat(21, 'a=$a$a')}`;
const PARAMETERS = `set -- a; ${repeat(17, 'set -- "$@" "$@"')}`;

it.each([
  ['parameters', PARAMETERS],
  ['parameters that a command gets', `${PARAMETERS} : "$@" "$@"`],
  ['fields', `${PARAMETERS} set -- $*`],
  ['the longest piece of a text from its start', `${TEXT} b=\${a##*x}`],
  ['a piece of a text that is nowhere', `${TEXT} b=\${a%%x*y}`],
  ['replacements', `${TEXT} b=\${a//x/y}`],
  ['a file name of two million characters', `${TEXT} : $a*`],
  ['sed y', `${TEXT} echo $a | sed y/x/y/ >/dev/null`],
  ['an expression of a million characters', `${TEXT} grep -c $a f`],
  ['a command of four million characters', `${TEXT} eval $a$a`],
  ['four million blanks', `${TEXT} a=\${a//x/ }; eval "$a$a"`],
  ['a word of four million characters', `${TEXT} [ $a$a ]`],
  ['words of xargs', 'dd if=/dev/zero bs=1M count=9 | xargs echo; seq 300000 | xargs >/dev/null'],
  ['options', `${TEXT} set -$a`],
  ['cut', `${TEXT} echo $a | cut -c 2-5000000 >/dev/null`],
])('blocks no other task, and stays within the account: %s', async (_, script) => {
  const { wrong, functions } = await runner.run({ script, patience: LONG_PATIENCE });
  expect({ wrong, functions }).toEqual({});
});
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's. */
