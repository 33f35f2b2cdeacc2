import { expect, test } from 'vitest';
import type { z } from 'zod';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { createTape } from '../../../tape/tape.js';
import { expectSchema } from '../file/expect-schema.js';
import { readRun } from '../run/run-reader.js';
import { unmet } from './expectations.js';

const clock = createVirtualClock();
const tape = createTape(clock);
const run = readRun(tape, {});
const row = (pod: string, ready: string, status: string, restarts: number) =>
  tape.write({ kind: 'row', pod: { name: pod, namespace: 'default' }, ready, status, restarts });
row('web', '0/1', 'ContainerCreating', 0);
row('web', '1/1', 'Running', 0);
row('db', '1/1', 'Running', 0);
row('web', '0/1', 'Init:0/2', 3);

const problems = (wanted: z.input<typeof expectSchema>): string[] =>
  unmet(expectSchema.parse(wanted), { ...run.result, metrics: [], left: [] });

const AS_YAML = `the rows of pod web, as YAML:
    - { pod: web, ready: 0/1, status: ContainerCreating, restarts: 0 }
    - { pod: web, ready: 1/1, status: Running, restarts: 0 }
    - { pod: web, ready: 0/1, status: Init:0/2, restarts: 3 }`;

test('rows that differ are shown as a difference, and as YAML for the scenario', () => {
  const rows = [{ pod: 'web', status: 'ContainerCreating' }, { pod: 'web' }];
  expect(problems({ rows })).toEqual([
    `rows of pod web:
       0.0s  0/1  ContainerCreating  0
       0.0s  1/1  Running  0
+      0.0s  0/1  Init:0/2  3
${AS_YAML}`,
  ]);
});

test('the metrics of the runtime are counted by name', () => {
  const of = 'runtime' as const;
  const metrics = [{ t: 0, values: new Map(), series: new Map([['container_threads', 2]]) }];
  const wanted = {
    metrics: [
      { name: 'container_threads', of, is: 2 },
      { name: 'container_sockets', of, is: { atLeast: 1 } },
    ],
  };
  expect(unmet(expectSchema.parse(wanted), { ...run.result, metrics, left: [] })).toEqual([
    'expected at least 1 series of container_sockets of the runtime at the end; there were 0',
  ]);
});

test('rowsInclude names some rows in their order', () => {
  const creating = { pod: 'web', status: 'ContainerCreating' };
  const init = { pod: 'web', status: 'Init:0/2', restarts: 3 };
  expect(problems({ rowsInclude: [creating, init, { pod: 'db', ready: '1/1' }] })).toEqual([]);
  expect(problems({ rowsInclude: [init, creating] })).toEqual([
    `rows of pod web do not include row 2 of rowsInclude, after the previous rows:
-            *  ContainerCreating  *
${AS_YAML}`,
  ]);
  expect(problems({ rowsInclude: [init, init] })).toHaveLength(1);
});

test('lastRow is the row at the end, of one pod or several', () => {
  expect(problems({ lastRow: { pod: 'web', restarts: 3 } })).toEqual([]);
  expect(
    problems({
      lastRow: [
        { pod: 'web', restarts: 3 },
        { pod: 'db', ready: '1/1' },
      ],
    }),
  ).toEqual([]);
  expect(problems({ lastRow: { pod: 'web', status: 'Running' } })).toEqual([
    `last row of pod web:
-            *  Running  *
+      0.0s  0/1  Init:0/2  3
the last row of pod web, as YAML:
    - { pod: web, ready: 0/1, status: Init:0/2, restarts: 3 }`,
  ]);
  expect(problems({ lastRow: { pod: 'gone' } })).toEqual([
    `last row of pod gone:
-            *  *  *
nothing came`,
  ]);
});
