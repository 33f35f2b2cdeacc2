import { afterEach, expect, test } from 'vitest';
import { clusterRig, PODS } from '../support/cluster/cluster-rig.js';

const { setup: setupRig, close } = clusterRig();
afterEach(close);

const SERVICES = '/api/v1/namespaces/default/services';
const setup = (more: Parameters<typeof setupRig>[0] = {}) =>
  setupRig({ memory: { unknownImages: 'run' }, ...more });
type Api = Awaited<ReturnType<typeof setup>>['api'];

const service = (name: string, clusterIP: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { clusterIP, selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
});

/** A pod behind a Service: a server of an unknown image that is Ready after a minute. */
const server = (api: Api, name: string, node: string, readyAfter = 60) =>
  api.put(PODS, {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, labels: { app: name }, generation: 1 },
    spec: {
      nodeName: node,
      hostname: `${name}-0`,
      subdomain: name,
      containers: [
        {
          name: 'app',
          image: 'registry.example/server:1',
          readinessProbe: { exec: { command: ['/ready'] }, initialDelaySeconds: readyAfter },
        },
      ],
    },
    status: { phase: 'Pending' },
  });

const phaseOf = (api: Api, name: string) => api.get(`${PODS}/${name}`)?.status.phase;
const once = (script: string) => [{ restartPolicy: 'Never' }, script] as const;
/** Runs when what its init container waits for is there. */
const after = (script: string) => ({
  initContainers: [{ name: 'wait', image: 'busybox:1', command: ['sh', '-c', script] }],
});

test('a wait for a Service ends when one of its pods is Ready, on any node of the process', async () => {
  const { api, clock, put } = await setup({ nodes: ['mock-0', 'mock-1'] });
  api.put(SERVICES, service('db', '10.0.7.7'));
  put('waits', after('until nc -z db 80; do sleep 1; done'));
  put('asks', after('until wget -q -O- http://db.default.svc.cluster.local; do sleep 1; done'));
  put('refused', ...once('! nc -z 10.0.7.7 80'));
  server(api, 'db', 'mock-1');
  await clock.advance(30_000);
  expect(['waits', 'asks', 'refused'].map((name) => phaseOf(api, name))).toEqual([
    'Pending',
    'Pending',
    'Succeeded',
  ]);
  await clock.advance(60_000);
  expect(phaseOf(api, 'waits')).toBe('Running');
  expect(phaseOf(api, 'asks')).toBe('Running');
});

test('names of Services resolve to their addresses in the cluster', async () => {
  const { api, clock, put } = await setup();
  api.put(SERVICES, service('db', '10.0.7.7'));
  api.put(SERVICES, service('ring', 'None'));
  server(api, 'ring', 'mock-0', 0);
  await clock.advance(10_000);
  const ip = String(api.get(`${PODS}/ring`)?.status.podIP);
  expect(ip).toMatch(/^10\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./);
  const names = {
    db: '10.0.7.7',
    'db.default': '10.0.7.7',
    'db.default.svc': '10.0.7.7',
    ring: ip,
    'ring-0.ring': ip,
  };
  for (const [name, address] of Object.entries(names))
    put(`asks-${name.replaceAll('.', '-')}`, ...once(`nslookup ${name} | grep -F ${address}`));
  put('connects', ...once('nc -z ring-0.ring 8080'));
  put('unknown', ...once('! nslookup nobody.default'));
  await clock.advance(10_000);
  for (const name of [
    ...Object.keys(names).map((each) => `asks-${each.replaceAll('.', '-')}`),
    'connects',
    'unknown',
  ])
    expect([name, phaseOf(api, name)]).toEqual([name, 'Succeeded']);
});

test('a Service whose pods run elsewhere answers as if they were healthy, once one is Ready', async () => {
  const { api, clock, put } = await setup();
  const endpoints = '/api/v1/namespaces/default/endpoints';
  for (const name of ['front', 'back']) api.put(SERVICES, service(name, `10.0.7.${name.length}`));
  api.put(endpoints, { metadata: { name: 'front' }, subsets: [{ addresses: [{ ip: '192.0.2.7' }] }] });
  api.put(endpoints, { metadata: { name: 'back' }, subsets: [{ notReadyAddresses: [{ ip: '192.0.2.8' }] }] });
  put('asks', after('until wget -q -O- http://front; do sleep 1; done'));
  put('waits', after('until nc -z back 80; do sleep 1; done'));
  await clock.advance(10_000);
  expect([phaseOf(api, 'asks'), phaseOf(api, 'waits')]).toEqual(['Running', 'Pending']);
  api.put(endpoints, { metadata: { name: 'back' }, subsets: [{ addresses: [{ ip: '192.0.2.8' }] }] });
  await clock.advance(10_000);
  expect(phaseOf(api, 'waits')).toBe('Running');
});

test("a node without access to a Service's endpoints logs it once, and a wait for the Service ends", async () => {
  const { api, clock, put, log } = await setup();
  api.put(SERVICES, service('front', '10.0.7.7'));
  api.forbid('/endpoints/');
  for (const name of ['a', 'b']) put(name, after('until nc -z front 80; do sleep 1; done'));
  await clock.advance(10_000);
  expect([phaseOf(api, 'a'), phaseOf(api, 'b')]).toEqual(['Running', 'Running']);
  expect(log.filter((line) => line.includes('endpoints'))).toEqual([
    expect.stringContaining('taken to be Ready'),
  ]);
});

test('a wait for a Service without a selector, or for a missing one, ends after a second', async () => {
  const { api, clock, put } = await setup();
  api.put(SERVICES, service('away', '', { type: 'ExternalName', externalName: 'example.com' }));
  api.put(SERVICES, service('manual', '10.0.7.8', { selector: undefined }));
  api.put('/api/v1/namespaces/default/endpoints', {
    metadata: { name: 'manual' },
    subsets: [{ addresses: [{ ip: '192.0.2.7' }] }],
  });
  put('connects', ...once('! nc -z 10.0.7.8 80'));
  for (const name of ['away', 'manual', 'nobody'])
    put(`waits-${name}`, after(`until nc -z ${name} 80; do sleep 1; done`));
  await clock.advance(10_000);
  for (const name of ['away', 'manual', 'nobody']) expect(phaseOf(api, `waits-${name}`)).toBe('Running');
  expect(phaseOf(api, 'connects')).toBe('Succeeded');
});
