import { expect, test } from 'vitest';
import { parseScenario } from '../../scenario/file/load.js';
import { basesOf } from '../base.js';
import { joinSeen } from '../observation.js';
import { readLines } from '../read/read-lines.js';

const container = { name: 'app', image: 'x', livenessProbe: { httpGet: { path: '/healthz', port: 8080 } } };
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [container, { ...container, name: 'side', livenessProbe: undefined }] },
};

test.each([
  ['30s  Normal  Killing  pod/web  Container app failed liveness probe, will be restarted', 503],
  ['30s  Warning  Unhealthy  pod/web  Liveness probe failed: HTTP probe failed with statuscode: 500', 503],
  ['30s  Normal  Killing  pod/web  Stopping container app', 200],
])('%s: the probe gets %d', async (line, code) => {
  const scenario = await parseScenario(
    JSON.stringify({ version: 1, pods: [{ manifest: pod }], until: '1m' }),
    'web.yaml',
  );
  const { seen } = readLines(`LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n${line}`, 'events.txt');
  const [base] = basesOf(scenario, joinSeen([seen], new Map([['web', 0]])));
  expect(base?.scenario.pods[0]?.behaviors.app).toContain(`http=8080:/healthz:${code}`);
});
