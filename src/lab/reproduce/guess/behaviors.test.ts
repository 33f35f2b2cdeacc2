import { expect, test } from 'vitest';
import { parseScenario } from '../../scenario/file/load.js';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import { basesOf } from '../starting-points.js';

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
  const behavior = base?.scenario.pods[0]?.behaviors.app;
  expect(behavior).toContain(code === 200 ? 'healthy=8080' : `http=8080:/healthz:${code}`);
});

test.each([
  ['a named port', { httpGet: { port: 'web' } }, 'run,healthy=8080'],
  ['TCP', { tcpSocket: { port: 5432 } }, 'run,healthy=8080+5432'],
  ['gRPC', { grpc: { port: 9090 } }, 'run,healthy=8080+9090'],
  ['a program of the image', { exec: { command: ['pg_isready'] } }, 'run,healthy=8080'],
])('a probe succeeds that was not seen to fail: %s', async (_, probe, behavior) => {
  const ports = [{ name: 'web', containerPort: 8080 }];
  const manifest = {
    ...pod,
    spec: { containers: [{ name: 'app', image: 'x', ports, readinessProbe: probe }] },
  };
  const scenario = await parseScenario(
    JSON.stringify({ version: 1, pods: [{ manifest }], until: '1m' }),
    'web.yaml',
  );
  const rows = 'NAME READY STATUS RESTARTS AGE\nweb 1/1 Running 0 40s';
  const [base] = basesOf(scenario, joinSeen([readLines(rows, 'rows.txt').seen], new Map([['web', 0]])));
  expect(base?.scenario.pods[0]?.behaviors.app).toBe(behavior);
});

test.each([
  [
    'a container that is ready late ran from its start, not from when it was ready',
    ['0/1 Running 0 10s', '1/1 Running 0 34s', '0/1 CrashLoopBackOff 0 40s'],
    'exit=1,after=30s',
  ],
  [
    'restarts that no row shows as an end are ends, when there are several',
    ['0/1 Running 0 10s', '1/1 Running 0 34s', '0/1 Running 1 40s', '1/1 Running 1 64s', '0/1 Running 2 70s'],
    'exit=1,after=30s',
  ],
  ['one restart may have any cause', ['1/1 Running 0 10s', '1/1 Running 1 40s'], 'run'],
])('%s', async (_, rows, behavior) => {
  const manifest = { ...pod, spec: { containers: [{ name: 'app', image: 'x' }] } };
  const scenario = await parseScenario(
    JSON.stringify({ version: 1, pods: [{ manifest }], until: '1m' }),
    'web.yaml',
  );
  const text = ['NAME READY STATUS RESTARTS AGE', ...rows.map((row) => `web ${row}`)].join('\n');
  const [base] = basesOf(scenario, joinSeen([readLines(text, 'rows.txt').seen], new Map([['web', 0]])));
  expect(base?.scenario.pods[0]?.behaviors.app).toBe(behavior);
});

test.each([
  [
    'that is known to have ended',
    '  side:\n    State: Waiting\n      Reason: CrashLoopBackOff\n    Last State: Terminated\n      Reason: Error\n      Exit Code: 3\n    Ready: False\n    Restart Count: 5\n',
    'exit=3',
  ],
  [
    'that an event names',
    '  side:\n    State: Waiting\n      Reason: CrashLoopBackOff\n    Ready: False\n    Restart Count: 5\nEvents:\n  Type  Reason  Age  From  Message\n  ----  ------  ----  ----  -------\n  Warning  BackOff  9s (x9 over 5m)  kubelet  Back-off restarting failed container side in pod web_default(8f)\n',
    'exit=1,after=1s',
  ],
])('a row of a crash loop is about the container %s', async (_, side, behavior) => {
  const scenario = await parseScenario(
    JSON.stringify({ version: 1, pods: [{ manifest: pod }], until: '1m' }),
    'web.yaml',
  );
  const app = '  app:\n    State: Running\n    Ready: True\n    Restart Count: 0\n';
  const { seen } = readLines(`Name: web\nNamespace: default\nContainers:\n${app}${side}`, 'describe.txt');
  const [base] = basesOf(scenario, joinSeen([seen], new Map([['web', 0]])));
  expect(base?.scenario.pods[0]?.behaviors.side).toBe(behavior);
  expect(base?.scenario.pods[0]?.behaviors.app ?? 'run').not.toContain('exit');
});

test.each([
  [
    '1/1 Running 4 (17m ago) 19m',
    'exit=1,after=12.5s;exit=1,after=12.5s;exit=1,after=12.5s;exit=1,after=12.5s;run',
  ],
  ['1/1 Running 1 (9m ago) 9m', 'exit=1,after=1s;run'],
  ['0/1 CrashLoopBackOff 4 (17s ago) 3m', 'exit=1,after=1s'],
])('%s: it is guessed how often and how fast the container ended', async (row, behavior) => {
  const manifest = { ...pod, spec: { containers: [{ name: 'app', image: 'x' }] } };
  const scenario = await parseScenario(
    JSON.stringify({ version: 1, pods: [{ manifest }], until: '1m' }),
    'web.yaml',
  );
  const rows = `NAME READY STATUS RESTARTS AGE\nweb ${row}`;
  const [base] = basesOf(scenario, joinSeen([readLines(rows, 'rows.txt').seen], new Map([['web', 0]])));
  expect(base?.scenario.pods[0]?.behaviors.app).toBe(behavior);
});
