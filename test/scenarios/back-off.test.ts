import { describe, expect, test } from 'vitest';
import type { SimulatedRow } from '../../src/lab/scenario/run/run.js';
import { run } from '../support/scenario/simulate.js';
import { isThorough, ofAll, sampleOf } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const pod = (script: string) => ({
  static: true,
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'app' },
    spec: {
      containers: [
        {
          name: 'app',
          image: 'registry.k8s.io/e2e-test-images/busybox:1.29-2',
          command: ['sh', '-c', script],
        },
      ],
    },
  },
});

/** Seconds from each end of the container to its next start. */
function waits(rows: readonly SimulatedRow[]): number[] {
  const found: number[] = [];
  let ended: number | undefined;
  for (const { t, status } of rows) {
    if (status === 'Error') ended = t;
    if (status !== 'Running' || ended === undefined) continue;
    found.push(t - ended);
    ended = undefined;
  }
  return found;
}

const NOMINAL = [0, 10, 20, 40, 80, 160, 300, 300];

const ALL_SEEDS = [1, 2, 3, 4, 5];
const seeds = sampleOf(ALL_SEEDS, 1);

/** Versions, and how long a back-off takes at most. */
const versions: [string, (delay: number) => number][] = [
  ['1.28', (delay) => delay + 17],
  ['1.34', (delay) => delay + 17],
  ['1.35', (delay) => delay + Math.min(delay, 60) / 2 + 2],
  ['1.36', (delay) => delay + Math.min(delay, 60) / 2 + 2],
];

describe.each(sampleOf(versions, 1))('kubelet %s', (version, latest) => {
  test.each(seeds)(
    `restarts a container that exits 1 after its back-off (seed %d; ${ofAll(seeds.length, ALL_SEEDS.length, 'seeds')})`,
    async (seed) => {
      const { rows } = await run(
        { pods: [pod('sleep 3; exit 1')], kubelet: { version }, until: '25m' },
        { seed },
      );
      const found = waits(rows);
      expect(found.length).toBeGreaterThanOrEqual(7);
      for (const [index, wait] of found.entries()) {
        const delay = NOMINAL[index] ?? 300;
        // A relist can see the end up to one second late.
        expect(wait, `restart ${index + 1}`).toBeGreaterThanOrEqual(Math.max(0, delay - 1.2));
        expect(wait, `restart ${index + 1}`).toBeLessThanOrEqual(latest(delay));
      }
    },
  );
});

slow(
  'a container that runs 400 s is restarted 600 s after its last start, and the back-off resets',
  async () => {
    const { rows } = await run({ pods: [pod('sleep 400; exit 1')], until: '100m' });
    const found = waits(rows);
    const ranges = [
      [0, 2],
      [9, 17],
      [19, 32],
      [39, 62],
      [79, 92],
      [159, 191],
      [197, 232],
      [0, 17],
      [9, 32],
    ] as const;
    for (const [index, [from, to]] of ranges.entries()) {
      expect(found[index], `restart ${index + 1} of ${found}`).toBeGreaterThanOrEqual(from);
      expect(found[index], `restart ${index + 1} of ${found}`).toBeLessThanOrEqual(to);
    }
  },
);
