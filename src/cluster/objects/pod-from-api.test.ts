import { expect, test } from 'vitest';
import { type ApiPod, podFromApi } from './pod-from-api.js';

const container = { name: 'app', image: 'busybox:1' };
const metadata = { name: 'web', namespace: 'default', uid: 'u-1', resourceVersion: '1' };

const read = (spec: object = {}, changed: object = {}) =>
  podFromApi({ metadata: { ...metadata, ...changed }, spec: { containers: [container], ...spec } } as ApiPod);

test.each<[string, object, object?]>([
  ['namespace', {}, { namespace: '../../etc' }],
  ['name', {}, { name: 'a/b' }],
  ['uid', {}, { uid: '..' }],
  ['uid', {}, { uid: '../x' }],
  ['containers.0.name', { containers: [{ ...container, name: '../app' }] }],
  ['initContainers.0.name', { initContainers: [{ ...container, name: '..' }] }],
  ['ephemeralContainers.0.name', { ephemeralContainers: [{ ...container, name: 'a/b' }] }],
  ['volumes.0.name', { volumes: [{ name: '../../../v', emptyDir: {} }] }],
  ['volumes.0.configMap.name', { volumes: [{ name: 'v', configMap: { name: '../secrets/s' } }] }],
  [
    'volumes.0.secret.items.0.path',
    { volumes: [{ name: 'v', secret: { secretName: 's', items: [{ key: 'k', path: '../k' }] } }] },
  ],
  [
    'volumes.0.projected.sources.0.serviceAccountToken.path',
    { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: '/etc/passwd' } }] } }] },
  ],
  [
    'containers.0.volumeMounts.0.subPath',
    {
      volumes: [{ name: 'v' }],
      containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a/../../b' }] }],
    },
  ],
  [
    'containers.0.volumeMounts.0.name',
    { containers: [{ ...container, volumeMounts: [{ name: '../v', mountPath: '/v' }] }] },
  ],
  ['hostAliases.0.hostnames.0', { hostAliases: [{ ip: '1.2.3.4', hostnames: ['a\n6.6.6.6 bank'] }] }],
  ['hostAliases.0.ip', { hostAliases: [{ ip: '1.2.3.4\n', hostnames: ['a'] }] }],
  ['serviceAccountName', { serviceAccountName: '../../pods' }],
  ['imagePullSecrets.0.name', { imagePullSecrets: [{ name: '../pods' }] }],
  ['hostname', { hostname: 'a\n6.6.6.6 bank' }],
  ['volumes.0.secret.secretName', { volumes: [{ name: 'v', secret: { secretName: '..' } }] }],
  [
    'volumes.0.configMap.items.0.key',
    { volumes: [{ name: 'v', configMap: { name: 'c', items: [{ key: '../k', path: 'k' }] } }] },
  ],
  [
    'volumes.0.downwardAPI.items.0.path',
    {
      volumes: [
        { name: 'v', downwardAPI: { items: [{ path: '/k', fieldRef: { fieldPath: 'metadata.name' } }] } },
      ],
    },
  ],
  [
    'containers.0.volumeMounts.0.subPathExpr',
    {
      volumes: [{ name: 'v' }],
      containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '../$(A)' }] }],
    },
  ],
  [
    'containers.0.envFrom.0.secretRef.name',
    { containers: [{ ...container, envFrom: [{ secretRef: { name: 'a/b' } }] }] },
  ],
  [
    'containers.0.env.0.valueFrom.configMapKeyRef.name',
    {
      containers: [
        { ...container, env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: '../s', key: 'k' } } }] },
      ],
    },
  ],
  ['metadata.deletionTimestamp', {}, { deletionTimestamp: 'soon' }],
])('a pod that Kubernetes would not allow is refused: %s', (field, spec, changed) => {
  expect(() => read(spec, changed)).toThrow(field);
});

test('fields of a newer API server are dropped, and files of this machine are not seen', () => {
  const pod = read({
    newField: 1,
    containers: [{ ...container, newField: {} }],
    volumes: [
      { name: 'hosts', hostPath: { path: '/etc/hosts' } },
      { name: 'host', hostPath: { path: '/etc' } },
      { name: 'new', newKind: {} },
    ],
  });
  // This is the only file of the machine that a node copies.
  expect(pod.spec.volumes[0]).toEqual({ name: 'hosts', hostPath: { path: '/etc/hosts' } });
  expect(pod.spec.volumes.slice(1)).toEqual(['host', 'new'].map((name) => ({ name, emptyDir: {} })));
  expect(pod.spec).not.toHaveProperty('newField');
  expect(pod.spec.containers[0]).toMatchObject({ name: 'app', imagePullPolicy: 'IfNotPresent', command: [] });
});
