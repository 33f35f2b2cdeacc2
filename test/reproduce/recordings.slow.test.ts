import { expect, test, vi } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { readLines } from '../../src/lab/reproduce/read/read-lines.js';
import { reproduce } from '../../src/lab/reproduce/reproduce.js';
import { clockText } from '../../src/lab/scenario/output/clock-text.js';
import type { SimulatedRow } from '../../src/lab/scenario/run/run.js';
import { recordedNames } from '../support/recordings/names.js';
import { recorded, scenarioOf, staticPods } from '../support/scenario/simulate.js';

vi.setConfig({ testTimeout: 300_000 });

/** Of a recording of half an hour, in seconds. */
const SEEN = 240;

/** Not the one whose image is missing, and the one whose probes took a second on that machine. */
const names = recordedNames.filter((name) => name !== 'pull-fails' && name !== 'sigterm-test');

test.each(names)('rows of a real kubelet need no fault: %s', async (name) => {
  const rows = recorded<SimulatedRow>('rows.jsonl').filter(
    ({ t, pod }) => pod === `${name}-mock-node` && t < SEEN,
  );
  const text = rows
    .map(
      ({ t, pod, ready, status, restarts }) =>
        `${clockText(t)}   ${pod}   ${ready}   ${status}   ${restarts}   ${Math.floor(t)}s`,
    )
    .join('\n');
  const { causes } = await reproduce({
    scenario: await scenarioOf({ pods: staticPods([name]), until: `${SEEN}s` }),
    saw: [readLines(text, 'rows')],
    versions: ['1.36'],
    budget: { schedules: 40 },
    seed: '1',
    depth: 1,
    workers: 0,
    clock: createRealClock(),
  });
  expect([causes[0]?.key, causes[0]?.verdict]).toEqual(['', 'fits']);
});
