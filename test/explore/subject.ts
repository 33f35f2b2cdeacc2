import { createRealClock } from '../../src/base/clock/real-clock.js';
import { type Exploration, type ExploreOptions, explore } from '../../src/lab/explore/explore.js';
import { scenarioOf } from '../support/scenario/simulate.js';

/** A pod with one container that runs for a minute, and additional parts of a scenario. */
export const subject = (more: Record<string, unknown> = {}, behavior = 'run') =>
  scenarioOf({
    pods: [
      {
        manifest: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'web' },
          spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'app', image: 'nginx:1' }] },
        },
        behaviors: { app: behavior },
      },
    ],
    until: '60s',
    ...more,
  });

/** Explores in this thread: by default all single perturbations. */
export const explored = (
  options: Pick<ExploreOptions, 'scenario' | 'budget'> & Partial<ExploreOptions>,
): Promise<Exploration> =>
  explore({
    seed: 1,
    depth: 1,
    only: [],
    shard: { index: 0, of: 1 },
    clock: createRealClock(),
    workers: 0,
    ...options,
  });
