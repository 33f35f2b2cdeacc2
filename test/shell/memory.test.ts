import { expect, it } from 'vitest';
import { createRig } from '../support/linux/command-rig.js';
import { ofAll, sampleOf } from '../support/thorough.js';

const KIB = 1024;
const LIMIT = 256 * KIB;

/** What a script comes to in a container of 256 KiB that has nothing else to do. */
async function run(script: string) {
  const { processes, run: start } = createRig({ view: { memoryLimit: LIMIT } });
  const { status, stderr } = await start(['sh', '-c', script]);
  return { status, stderr, left: processes.memoryUsed, oomKills: processes.oomKills };
}

const OUT_OF_MEMORY = { signal: 'KILL', oom: true };
/** Text of a kilobyte in $k. */
const KILOBYTE = 'k=$(printf %1000s); ';

const hungry = [
  ['functions', 'while :; do i=$((i+1)); eval "f$i() { echo; }"; done'],
  ['one function with a long body', `${KILOBYTE}f() { :; }; while :; do k="$k:;:;"; eval "f() { $k }"; done`],
  ['names of variables', 'while :; do i=$((i+1)); eval "v$i="; done'],
  ['marked names', 'while :; do i=$((i+1)); export e$i; done'],
  [
    'text that a short value was cut from',
    `while :; do i=$((i+1)); k=$(printf "abcdefghijklm%9000s"); read a$i b$i <<E\n$k\nE\nk=; done`,
  ],
  ['positional parameters', 'while :; do set -- "$@" a b c d e f g h; done'],
  ['arguments of calls inside of calls', 'f() { f "$@" a b c d e f g h i j k l m n o p q r s; }; f'],
  ['local variables of calls inside of calls', `${KILOBYTE}f() { local x=$k$k$k$k; f; }; f`],
  ['eval in itself', `${KILOBYTE}e='eval "$e$k"'; eval "$e"`],
  ['a file that reads itself', `${KILOBYTE}echo "$k . /tmp/s" >/tmp/s; . /tmp/s`],
  ['a trap that brings itself about', `${KILOBYTE}trap "kill -USR1 $$; : '$k$k$k'" USR1; kill -USR1 $$`],
  ['here-documents', `exec 3<<E\n$(printf %60000s)\nE`],
  [
    'here-documents that children inherit',
    `n=0; while [ $n -lt 12 ]; do n=$((n+1)); sh -c 'exec 3<<E\n$(printf %10000s)\nE\nsleep 1 &'; done; sleep 3`,
  ],
  ['open here-documents', `${KILOBYTE}k=$k$k$k$k$k$k$k$k; f() { f; } <<E\n$k\nE\nf`],
  [
    'substitutions in one word',
    'echo $(printf %60000s)$(echo "$(printf %60000s%60000s%60000s%60000s%60000s%60000s%60000s%60000s)")',
  ],
  ['words without spaces', 'dd if=/dev/zero bs=4096 count=60 | xargs echo'],
  ['last lines', 'yes | tail -n 999999999'],
  ['differing files', 'seq 200 >/tmp/a; seq 5000 5400 >/tmp/b; diff /tmp/a /tmp/b'],
] as const;
const some = sampleOf(hungry, 9);

it.each(some)(
  `is killed for its memory use: %s (${ofAll(some.length, hungry.length, 'scripts')})`,
  async (_, script) => {
    const { status, left, oomKills, stderr } = await run(script);
    // It may be a child whose death the shell survives.
    expect({ status, oomKills, stderr }).toMatchObject(
      status.code === undefined ? { status: OUT_OF_MEMORY } : { oomKills: expect.any(Number) },
    );
    expect(oomKills, stderr).toBeGreaterThan(0);
    expect(left).toBeLessThan(16 * KIB);
  },
);

it.each([
  ['functions', 'f() { f; }; f', /nested too deeply/],
  ['eval', `e='eval "$e"'; eval "$e"`, /nested too deeply/],
  ['subshells in functions', 'f() { (f); }; f', /nested too deeply|can't fork|Killed/],
  ['a command of many words', `{ ${':;'.repeat(20_000)} }`, /command is too long/],
  ['a command of many characters', `eval "$(head -c 600000 /dev/zero | tr '\\0' x)"`, /command is too long/],
  [
    'expressions in expressions',
    `${[...'abcdefghijklmnopqrstuvwxy'].map((name, at, all) => `${name}=${all[at + 1] ?? 'z'}+${all[at + 1] ?? 'z'}; `).join('')} echo $((a))`,
    /expression is too long/,
  ],
  [
    'a pattern for a text',
    `x=$(printf %9000s | tr " " a); p=$(printf %1000s | tr " " a); case $x in *$p"b") ;; esac`,
    /too long for this pattern/,
  ],
])('ends with an error: %s', async (_, script, error) => {
  const { processes, run: start } = createRig();
  const { stderr } = await start(['sh', '-c', script]);
  expect(stderr).toMatch(error);
  expect(processes.memoryUsed).toBeLessThan(16 * KIB);
});

it('releases the memory of a long script', async () => {
  const script = `${KILOBYTE}i=0; while [ $i -lt 200 ]; do
    i=$((i+1)); f() { local y=$k; echo "$1" <<E
$k
E
    }; f $k >/dev/null; eval "v=$i; : '$k'"; set -- $k; x=\${k%% *}; case $k in a*) ;; esac; (: $k); read -r z <<<"$k"
  done`;
  const { status, stderr } = await run(script);
  expect({ status, stderr }).toEqual({ status: { code: 0 }, stderr: '' });
});
