import { expect, test } from 'vitest';
import { candidatesOf } from '../../src/lab/explore/catalog/catalog.js';
import { createRunner } from '../../src/lab/explore/run/runner.js';
import { sampleOf } from '../support/thorough.js';
import { subject } from './subject.js';

/** Runs the first perturbation of this kind in a scenario of four minutes. */
async function outcomeOf(kind: string, more: Record<string, unknown> = {}) {
  const runner = createRunner(await subject({ until: '240s', ...more }));
  const { points } = await runner.run([]);
  const found = candidatesOf(points).find(({ perturbation }) => perturbation.kind === kind);
  expect(found, `there is a perturbation ${kind}`).toBeDefined();
  const perturbation = found?.perturbation;
  if (perturbation === undefined) throw new Error('unreachable');
  return { ...(await runner.run([perturbation])), over: perturbation.until };
}

const short = [
  'delay 3s StartContainer',
  'error before CreateContainer',
  'exit 1',
  'kubelet restarted',
  'runtime restarted for 5s, state kept',
];

test.each(sampleOf(short, 1))(
  'a run with %s ends as soon as syncs and garbage collection change nothing',
  async (kind) => {
    const { until, over } = await outcomeOf(kind);
    expect(until).toBeLessThan(over + 60_000);
  },
);

const whole: [string, Record<string, unknown>][] = [
  // The stream is broken for good: the kubelet lists more often than before. One of 1.37 lists as often anyway.
  [
    'broken five times GetContainerEvents',
    { kubelet: { version: '1.36', featureGates: { EventedPLEG: true } } },
  ],
  // The kubelet does not ask any more.
  ['lists hang from then on', {}],
  // Calls are counted until the end.
  [
    'delay 3s StartContainer',
    { expect: { calls: [{ rpc: 'RunPodSandbox', count: 1, within: ['0s', '4m'] }] } },
  ],
];

test.each(sampleOf(whole, 1))('a run with %s takes its whole time', async (kind, more) => {
  expect((await outcomeOf(kind, more)).until).toBeGreaterThanOrEqual(240_000);
});
