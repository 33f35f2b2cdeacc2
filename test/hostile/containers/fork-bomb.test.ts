import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine } from '../../support/program.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { isThorough, sampleOf } from '../../support/thorough.js';

// Scripts that take all they can get, in a simulation: it ends, in a small heap.

const temporary = useTemporaryDirectories();

/** What a simulation of a container that runs a script prints; its heap is bounded, in MiB. */
async function simulate(script: string, heap: number, limits = {}) {
  const file = join(temporary(), 'scenario.yaml');
  const resources = { limits };
  const containers = [{ name: 'app', image: 'busybox:1', command: ['sh', '-c', script], resources }];
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bomb' },
    spec: { containers, restartPolicy: 'Never' },
  };
  writeFileSync(
    file,
    JSON.stringify({ version: 1, pods: [{ manifest }], until: isThorough ? '10s' : '4s', expect: {} }),
  );
  const child = spawn(process.execPath, [`--max-old-space-size=${heap}`, ...commandLine('simulate', file)]);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, text };
}

it('a fork bomb ends with its simulation, in a small heap', async () => {
  const { code, text } = await simulate('f() { f | f & }; f; sleep 100000', 200);
  expect(text).toContain('Running');
  expect(code, text).toBe(0);
});

const KILOBYTE = 'k=$(printf %1000s); k=$k$k$k$k$k$k$k$k$k$k; ';
const SCRIPTS: Readonly<Record<string, string>> = {
  'eval in itself': `${KILOBYTE}e='eval "$e$k"'; eval "$e"`,
  'lines without end': 'yes | tail -n 999999999',
  'a file that reads itself': `${KILOBYTE}echo "$k . /tmp/s" >/tmp/s; . /tmp/s`,
  'functions without end': `${KILOBYTE}while :; do i=$((i+1)); eval "f$i() { : $k; }"; done`,
  'parameters without end': `${KILOBYTE}while :; do set -- "$@" $k "$k"; done`,
  'words without end': 'yes | xargs -n 100000000 echo',
  'local variables': `${KILOBYTE}f() { local x=$k$k$k$k$k$k$k$k$1; f $1a; }; f`,
  'fields of a long line': 'dd if=/dev/zero bs=64k count=300 | tr "\\0" " " | awk "{print NF}"',
};
const scripts = Object.entries(SCRIPTS);

it.each(sampleOf(scripts, 3))('%s is killed at the limit of its container', async (_, script) => {
  const { code, text } = await simulate(script, 160, { memory: '20Mi' });
  expect(code, text).toBe(0);
  expect(text).toMatch(/OOMKilled/);
});

it('short parts of long texts do not keep the whole texts in memory', async () => {
  const script = `while :; do i=$((i+1)); read a$i b <<E
abcdefghijklm$(printf %60000s%60000s%60000s%60000s)
E
b=; done`;
  const { code, text } = await simulate(script, 160, { memory: '20Mi' });
  expect(text).toContain('Running');
  expect(code, text).toBe(0);
});
