import { expect, test, vi } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { loadSubject } from '../../src/lab/explore/subject/subject.js';
import { readLines } from '../../src/lab/reproduce/read/read-lines.js';
import { reproduce } from '../../src/lab/reproduce/reproduce.js';

vi.setConfig({ testTimeout: 300_000 });

/** What no pod of one container does, whatever its runtime does. */
const nonsense: readonly (readonly [what: string, text: string])[] = [
  [
    'a restart count that falls',
    `web 1/1 Running 7 1s
web 1/1 Running 5 20s
web 1/1 Running 3 40s
web 1/1 Running 0 60s`,
  ],
  [
    'more containers than the pod has',
    `web 0/4 ContainerCreating 0 0s
web 2/4 Running 0 5s
web 3/4 Running 2 30s
web 4/4 Running 2 60s`,
  ],
  [
    'a pod that runs again after its end',
    `web 0/1 Completed 0 1s
web 0/1 ContainerCreating 0 20s
web 0/1 Completed 0 40s
web 0/1 ContainerCreating 0 60s`,
  ],
  [
    'a hundred restarts in a minute',
    `web 1/1 Running 0 1s
web 1/1 Running 40 20s
web 1/1 Running 70 40s
web 1/1 Running 100 60s`,
  ],
  [
    'states that no kubelet has',
    `web 0/1 Sleeping 0 1s
web 1/1 Dreaming 0 20s
web 1/1 Awake 1 40s`,
  ],
  [
    'an image that is pulled repeatedly while the container runs',
    `web 1/1 Running 0 1s
web 0/1 ImagePullBackOff 3 20s
web 1/1 Running 3 30s
web 0/1 ErrImagePull 9 45s
web 1/1 Running 9 60s`,
  ],
];

test.each(nonsense)('no simulation produces this: %s', async (_, text) => {
  const { causes } = await reproduce({
    scenario: await loadSubject(['test/explore/replay/shapes/one-container.yaml']),
    saw: [readLines(text, 'rows')],
    versions: ['1.36'],
    budget: { schedules: 60 },
    seed: '1',
    depth: 2,
    workers: 0,
    clock: createRealClock(),
  });
  expect(causes[0]?.verdict).toBe('comes nearest');
});
