import { expect, test } from 'vitest';
import { run } from '../support/scenario/simulate.js';

/** The relist that finds the end of the container starts its readiness probe: the next ones come at the time of a relist, too. */
const ENDING = {
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: {
      containers: [
        {
          name: 'app',
          image: 'nginx:1',
          startupProbe: { exec: { command: ['true'] }, periodSeconds: 2 },
          readinessProbe: {
            httpGet: { path: '/', port: 8080 },
            initialDelaySeconds: 2,
            periodSeconds: 5,
            failureThreshold: 1,
          },
        },
      ],
    },
  },
  behaviors: { app: 'exit=1,after=6s,http=8080:/:200' },
};

test('a sync after a refused probe runs after the relist of the same instant, during it, or before it', async () => {
  const shown = new Set<string>();
  for (let seed = 1; seed <= 30; seed++) {
    const timeline = [{ at: '15400ms', do: { addPod: ENDING } }];
    const { rows } = await run({ seed, timeline, until: '35s' });
    const end = rows.findIndex(({ status, restarts }) => `${status} ${restarts}` === 'Error 1');
    const [before, after] = [rows[end - 1], rows[end]];
    const later = (after?.t ?? 0) - (before?.t ?? 0);
    shown.add(before?.ready === '1/1' ? 'ready until the end' : `not ready for ${Math.round(later)} s`);
  }
  expect([...shown].sort()).toEqual(['not ready for 0 s', 'not ready for 1 s', 'ready until the end']);
});
