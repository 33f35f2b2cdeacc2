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
