import { expect, test } from 'vitest';
import { candidatesOf } from '../../src/lab/explore/catalog/catalog.js';
import { createRunner } from '../../src/lab/explore/run/runner.js';
import { sampleOf } from '../support/thorough.js';
import { subject } from './subject.js';

/** What the first perturbation of this kind breaks. */
async function brokenBy(kind: string, more: Record<string, unknown>): Promise<string[]> {
  const runner = createRunner(await subject(more));
  const { points } = await runner.run([]);
  const found = candidatesOf(points).find(({ perturbation }) => perturbation.kind === kind);
  expect(found, `there is a perturbation ${kind}`).toBeDefined();
  const { findings } = await runner.run(found === undefined ? [] : [found.perturbation]);
  return findings.map(({ rule }) => rule);
}

test.each(sampleOf(['error before PullImage', 'delay 125s PullImage'], 1))(
  '%s: a slow pull may take its time once more',
  async (kind) => {
    const faults = [{ match: { method: 'PullImage' }, then: { delay: '5m' } }];
    expect(await brokenBy(kind, { faults, until: '6m' })).toEqual([]);
  },
);

test.each(sampleOf(['error before Version', 'runtime restarted for 30s, state kept'], 1))(
  '%s: a restart of the kubelet by the scenario does not count as node flapping',
  async (kind) => {
    const timeline = [{ at: '100s', do: { kubelet: 'restart' } }];
    expect(await brokenBy(kind, { timeline, until: '125s' })).not.toContain('node-ready');
  },
);

const manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: {
    terminationGracePeriodSeconds: 5,
    initContainers: [{ name: 'check', image: 'busybox:1' }],
    containers: [{ name: 'app', image: 'nginx:1' }],
  },
};
/** The init container fails once. */
const failing = {
  pods: [{ manifest, behaviors: { check: 'exit=0,after=10s', app: 'run' } }],
  timeline: [{ at: '5s', do: { exitContainer: { pod: 'web', container: 'check', code: 1 } } }],
};

test('RESTARTS counts init containers until they are done, and then containers', async () => {
  const { findings } = await createRunner(await subject(failing)).run([]);
  expect(findings.map(({ message }) => message)).toEqual([]);
});
