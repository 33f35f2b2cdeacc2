import { scenarioOf } from '../support/simulate.js';

/** A pod of one container for a minute, and what else a scenario has. */
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
