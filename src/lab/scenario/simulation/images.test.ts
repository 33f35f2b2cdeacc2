import { expect, test } from 'vitest';
import { parseScenario } from '../file/load.js';
import { simulate } from './simulate.js';
import { simulationParts } from './simulation-parts.js';

const manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'app', image: 'nginx:1' }] },
};

test.each([
  [['nginx:1'], ['Pulled', 'Created', 'Started']],
  [[], ['Pulling', 'Pulled', 'Created', 'Started']],
])('with the images %j the events are %j', async (presentImages, reasons) => {
  const text = JSON.stringify({ version: 1, presentImages, pods: [{ manifest }], until: '10s' });
  const run = await simulate({ scenario: await parseScenario(text, 'web.yaml'), ...simulationParts });
  expect(run.events.map(({ reason }) => reason)).toEqual(reasons);
});

test.each([
  ['run', 'Running'],
  ['fail', 'Completed'],
] as const)('a pod in a scenario with an unknown image: with %s it is %s', async (unknownImages, status) => {
  const own = {
    ...manifest,
    spec: {
      restartPolicy: 'OnFailure',
      containers: [
        {
          name: 'app',
          image: 'example.com/shop:1',
          ports: [{ containerPort: 8080, name: 'http' }],
          readinessProbe: { httpGet: { path: '/healthz', port: 'http' } },
        },
      ],
    },
  };
  const text = JSON.stringify({ version: 1, pods: [{ manifest: own }], until: '30s' });
  const scenario = await parseScenario(text, 'web.yaml', { unknownImages });
  const { rows } = await simulate({ scenario, ...simulationParts });
  expect(rows.at(-1)?.status).toBe(status);
});
