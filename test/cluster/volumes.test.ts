import { afterEach, expect, test } from 'vitest';
import { clusterRig, PODS, podOf } from '../support/cluster/cluster-rig.js';

const { setup, close } = clusterRig();
afterEach(close);

const NAMESPACE = '/api/v1/namespaces/default';
const TOKENS = `${NAMESPACE}/serviceaccounts/builder/token`;

/** A pod with the mount of one volume. */
const mounting = (name: string, volume: object, mount: object, command: string) =>
  podOf(name, {
    restartPolicy: 'Never',
    serviceAccountName: 'builder',
    volumes: [{ name: 'files', ...volume }],
    containers: [
      {
        name: 'app',
        image: 'busybox:1',
        command: ['sh', '-c', command],
        env: [{ name: 'KEY', value: 'color' }],
        volumeMounts: [{ name: 'files', mountPath: '/files', ...mount }],
      },
    ],
  });

test('a container has a token of its service account, which is replaced before it expires', async () => {
  const { clock, api } = await setup();
  const projected = { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 600 } }] };
  api.put(PODS, mounting('user', { projected }, {}, 'while true; do cat /files/token; sleep 60; done'));
  await clock.advance(5000);
  const asked = () => api.requests.filter((request) => request === `POST ${TOKENS}`).length;
  expect(api.get(`${PODS}/user`)?.status.phase).toBe('Running');
  expect(asked()).toBe(1);
  await clock.advance(400_000);
  expect(asked()).toBe(1);
  await clock.advance(200_000);
  expect(asked()).toBe(2);
});

test('a volume follows its ConfigMap, and a part of it can be mounted', async () => {
  const { clock, api } = await setup();
  const write = (color: string) =>
    api.put(`${NAMESPACE}/configmaps`, { metadata: { name: 'colors' }, data: { color } });
  write('blue');
  const configMap = { name: 'colors' };
  const wait = 'sleep 100; grep red /files/color';
  api.put(PODS, mounting('follower', { configMap }, {}, wait));
  api.put(
    PODS,
    mounting('part', { configMap }, { subPath: 'color', mountPath: '/color' }, 'grep blue /color'),
  );
  api.put(
    PODS,
    mounting('chosen', { configMap }, { subPathExpr: '$(KEY)', mountPath: '/color' }, 'grep blue /color'),
  );
  await clock.advance(10_000);
  expect(api.get(`${PODS}/part`)?.status.phase).toBe('Succeeded');
  expect(api.get(`${PODS}/chosen`)?.status.phase).toBe('Succeeded');
  expect(api.get(`${PODS}/follower`)?.status.phase).toBe('Running');
  write('red');
  await clock.advance(120_000);
  expect(api.get(`${PODS}/follower`)?.status.phase).toBe('Succeeded');
});
