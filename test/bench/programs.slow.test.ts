import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Programs that sections of the benchmark run in separate processes, with the least work, and what they print. */
const PROGRAMS: readonly (readonly [program: string, args: readonly string[], fields: readonly string[]])[] =
  [
    ['node-memory.mjs', ['1', '11'], ['perNode', 'perPod']],
    ['explored.mjs', ['10', '0'], ['schedules', 'seconds', 'cpu', 'memory']],
    ['reproduced.mjs', ['5', '0'], ['runs', 'seconds', 'cpu', 'memory', 'first']],
    [
      'simulated.mjs',
      [
        JSON.stringify({
          pods: [
            {
              manifest: {
                apiVersion: 'v1',
                kind: 'Pod',
                metadata: { name: 'web' },
                spec: { containers: [{ name: 'app', image: 'nginx:1' }] },
              },
            },
          ],
          until: '10s',
        }),
        'process',
      ],
      ['seconds', 'calls', 'heap', 'hash', 'times'],
    ],
  ];

it.each(PROGRAMS)('%s runs, and prints its figures', async (program, args, fields) => {
  const path = new URL(program, import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', path, ...args]);
  const figures: unknown = JSON.parse(stdout);
  expect(Object.keys(figures as object)).toEqual(fields);
});
