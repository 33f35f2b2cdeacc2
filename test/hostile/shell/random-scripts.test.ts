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

/** Each keeps the documents of those before it, and ends. */
const HEIRS = `cat >x <<'X'
n=$(($1+1)); d=$(head -c 1000000 /dev/zero | tr '\\0' a); eval "exec $n<<E
\\$d
E"
unset d; sh x $n & exit
X
sh x 10; while :; do sleep 0.01; done`;

const repeat = (times: number, command: string) =>
  `n=0; while [ $n -lt ${times} ]; do ${command}; n=$((n+1)); done; `;
/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's. */
/** Two million characters, and a hundred thousand parameters. */
const TEXT = `a=x; ${repeat(21, 'a=$a$a')}`;
const DIGITS = `a=7; ${repeat(21, 'a=$a$a')}`;
const PARAMETERS = `set -- a; ${repeat(17, 'set -- "$@" "$@"')}`;

it.each([
  ['parameters', PARAMETERS],
  ['parameters that a command gets', `${PARAMETERS} : "$@" "$@"`],
  ['fields', `${PARAMETERS} set -- $*`],
  ['two million blanks, and no field', `a=' '; ${repeat(21, 'a=$a$a')} set -- $a $a`],
  [
    'a hundred thousand parameters without a field',
    `set -- ''; ${repeat(17, 'set -- "$@" "$@"')} : $@ $@ $@`,
  ],
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
  ['a number of two million digits', `${DIGITS} printf %d $a >/dev/null; [ $a -eq $a ]`],
  ['version sort of long lines', `${TEXT} a=\${a//xx/x1}; (echo $a; echo $a) | sort -V >/dev/null`],
  [
    'version sort that checks, and leaves out',
    'seq 100000 200000 | sort -cV; seq 99999 | sort -uV >/dev/null',
  ],
  ['a hundred thousand patterns', 'seq 100000 >p; grep -f p f >/dev/null'],
  ['a hundred thousand texts', 'seq 100000 >p; grep -F -f p f >/dev/null'],
  ['ten thousand ranges in each line', 'cut -b $(seq -s, 1 3 30000) f >/dev/null'],
  ['fields of a long line', `${TEXT} a=\${a//xx/x }; echo "$a$a" | cut -d " " -f 2 >/dev/null`],
  [
    'lines from the end',
    "yes '' | head -c 5000000 >n; head -n -2500000 n >/dev/null; tail -n 4999999 n >/dev/null",
  ],
  ['lines from the start', "yes '' | head -c 5000000 | tail -n +4999999 >/dev/null"],
  ['a format of the time', `a=%c; ${repeat(19, 'a=$a$a')} date +$a >/dev/null; nmeter -d 0 $a >/dev/null`],
  [
    'a format of a file',
    `mkdir -p /tmp/${'a'.repeat(120)}; a=%n; ${repeat(19, 'a=$a$a')} stat -c $a a* >/dev/null`,
  ],
  ['columns of processes', `a=args; ${repeat(16, 'a=$a,args')} ${repeat(14, 'a=$a,$a')} ps -o $a >/dev/null`],
  ['sets of tr', `a='\\0-\\377'; ${repeat(17, 'a=$a$a')} tr "$a" "$a" <f >/dev/null`],
  ['tables of sed y', `a='y/abc/def/;'; ${repeat(16, 'a=$a$a')} echo "$a" >s; sed -f s <f >/dev/null`],
  ['a shell that replaces itself', `a='exec sh -c "$0" "$0"'; exec sh -c "$a" "$a"`],
  ['a script that is its own interpreter', 'echo "exec ./x" >x; chmod +x x; exec ./x'],
  ['here-documents that children inherit', HEIRS],
  ['sed -i of a large file', 'dd if=/dev/zero of=o bs=1M count=14; sed -i s/x/y/ o'],
  ['cut', `${TEXT} echo $a | cut -c 2-5000000 >/dev/null`],
])('blocks no other task, and stays within the account: %s', async (_, script) => {
  const { wrong, functions } = await runner.run({ script, patience: LONG_PATIENCE });
  expect({ wrong, functions }).toEqual({});
});
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's. */
