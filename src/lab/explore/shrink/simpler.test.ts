import { expect, test } from 'vitest';
import { parseScenario } from '../../scenario/file/load.js';
import { scenarioText } from '../../scenario/file/scenario-text.js';
import { simpler } from './simpler.js';

const manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: {
    initContainers: [{ name: 'fetch', image: 'busybox:1' }],
    containers: [
      { name: 'app', image: 'nginx:1' },
      { name: 'side', image: 'nginx:1' },
    ],
  },
};
const behaviors = { fetch: 'exit=0', app: 'run', side: 'run' };
const text = JSON.stringify({ version: 1, pods: [{ manifest, behaviors }], until: '60s' });

test('each simpler scenario can be written and read', async () => {
  const scenario = await parseScenario(text, 'scenario.yaml');
  const story = { title: 'x', see: 'x', why: 'x', expect: {} };
  const written = [...simpler(scenario)].map((made) => scenarioText(made, story, '.'));
  expect(written.filter((each) => !each.includes('fetch'))).toHaveLength(1);
  for (const each of written) await expect(parseScenario(each, 'simpler.yaml')).resolves.toBeDefined();
});
