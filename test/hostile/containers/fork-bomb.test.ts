import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine } from '../../support/program.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { isThorough } from '../../support/thorough.js';

// Scripts that fork without end, in a simulation: it ends, in a small heap.

const temporary = useTemporaryDirectories();

/** What a simulation of a container that runs a script prints; its heap is bounded, in MiB. */
async function simulate(script: string, heap: number) {
  const file = join(temporary(), 'scenario.yaml');
  const containers = [{ name: 'app', image: 'busybox:1', command: ['sh', '-c', script] }];
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bomb' }, spec: { containers } };
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
