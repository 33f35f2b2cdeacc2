import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { type KubeObjects, noObjects } from '../kube-objects.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import { parseManifest } from '../pods/manifest.js';
import { environment } from './environment.js';

const objects: KubeObjects = {
  ...noObjects,
  data: async (kind, namespace, name) =>
    `${namespace}/${name}` === 'default/known'
      ? new Map([
          ['a', Buffer.from(`${kind} a`)],
          ['b', Buffer.from('$(FIRST)')],
        ])
      : undefined,
};
const context = { hostIp: '10.1.2.3', objects, allocatable: { cpu: '3500m', memory: '1Gi' } };

async function variables(env: string, podIps: readonly string[]): Promise<string[]> {
  const text = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {tier: front}, annotations: {Note: x y}}
spec: {containers: [{name: app, image: "a:1", env: ${env}}]}`;
  const [pod] = parseManifest(text, 'pod.yaml', { nodeName: 'node', now: 0n }).pods;
  const [container] = pod?.spec.containers ?? [];
  if (pod === undefined || container === undefined) throw new Error('no pod');
  const made = await environment({ ...context, pod, container, podIps });
  return [...made].map(([key, value]) => `${key}=${value}`);
}

/** Of a container whose variables come from the API. */
async function made(container: Partial<ContainerSpec>): Promise<Record<string, string>> {
  const full = aContainer(container);
  const pod = aPod({ containers: [full] });
  return Object.fromEntries(await environment({ ...context, pod, container: full, podIps: [] }));
}

const field = (name: string, path: string) =>
  `{name: ${name}, valueFrom: {fieldRef: {fieldPath: "${path}"}}}`;

test('takes variables from the pod, including values that exist only once its sandbox runs', async () => {
  const env = [
    field('NAME', 'metadata.name'),
    field('NODE', 'spec.nodeName'),
    field('TIER', "metadata.labels['tier']"),
    field('NOTE', "metadata.annotations['Note']"),
    field('IP', 'status.podIP'),
    field('IPS', 'status.podIPs'),
    field('HOST', 'status.hostIP'),
    '{name: URL, value: "http://$(IP)/"}',
  ];
  expect(await variables(`[${env}]`, ['10.0.0.7', 'fd00::7'])).toEqual([
    'NAME=web-node',
    'NODE=node',
    'TIER=front',
    'NOTE=x y',
    'IP=10.0.0.7',
    'IPS=10.0.0.7,fd00::7',
    'HOST=10.1.2.3',
    'URL=http://10.0.0.7/',
  ]);
  expect(await variables(`[${field('IP', 'status.podIP')}]`, [])).toEqual(['IP=']);
});

test('expands only literal values', async () => {
  const env = `[{name: A, value: a}, ${field('B', "metadata.labels['missing']")}, {name: C, value: "$(A)$$(A)$(D)$(B)"}]`;
  expect(await variables(env, [])).toEqual(['A=a', 'B=', 'C=a$(A)$(D)']);
});

test('rejects a field that variables cannot refer to', async () => {
  await expect(variables(`[${field('PHASE', 'status.phase')}]`, [])).rejects.toThrow(
    /fieldPath: must be one of metadata\.name, .*status\.podIPs, metadata\.labels\['key'\].*given "status\.phase"/s,
  );
});

test('takes variables from objects; what env sets overrides what envFrom brings', async () => {
  const known = { name: 'known', optional: false } as const;
  const env = await made({
    envFrom: [
      { prefix: '', configMapRef: known },
      { prefix: 'S_', secretRef: known },
      { prefix: '', secretRef: { name: 'missing', optional: true } },
    ],
    env: [
      { name: 'FIRST', value: 'one' },
      { name: 'a', value: '$(S_a)!' },
      { name: 'KEY', value: '', valueFrom: { secretKeyRef: { key: 'a', ...known } } },
      { name: 'NONE', value: '', valueFrom: { secretKeyRef: { key: 'z', name: 'known', optional: true } } },
    ],
  });
  // The value of an object is not expanded.
  expect(env).toEqual({
    a: 'secret a!',
    b: '$(FIRST)',
    S_a: 'secret a',
    S_b: '$(FIRST)',
    FIRST: 'one',
    KEY: 'secret a',
  });
});

test.each([
  [{ configMapKeyRef: { name: 'missing', key: 'a', optional: false } }, 'configmap "missing" not found'],
  [{ secretKeyRef: { name: 'missing', key: 'a', optional: false } }, 'secret "missing" not found'],
  [
    { secretKeyRef: { name: 'known', key: 'z', optional: false } },
    "couldn't find key z in Secret default/known",
  ],
] as const)('%j is refused', async (valueFrom, message) => {
  await expect(made({ env: [{ name: 'X', value: '', valueFrom }] })).rejects.toThrow(message);
});

test.each([
  ['limits.cpu', undefined, '1'],
  ['limits.cpu', '1m', '500'],
  ['requests.cpu', '1m', '250'],
  ['limits.memory', '1Mi', '64'],
  ['requests.memory', undefined, '0'],
  ['limits.ephemeral-storage', undefined, '0'],
])('%s in units of %s is %s', async (resource, divisor, expected) => {
  const resources = { limits: { cpu: '500m', memory: '64Mi' }, requests: { cpu: '250m' } };
  const valueFrom = { resourceFieldRef: { resource, divisor } };
  expect(await made({ resources, env: [{ name: 'X', value: '', valueFrom }] })).toEqual({ X: expected });
});

test('a container without a limit has what its node has', async () => {
  const valueFrom = { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } };
  expect(await made({ env: [{ name: 'X', value: '', valueFrom }] })).toEqual({ X: '3500' });
});
