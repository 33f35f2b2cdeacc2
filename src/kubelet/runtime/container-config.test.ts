import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kube-objects.js';
import { parseManifest } from '../pods/manifest.js';
import { containerConfig } from './container-config.js';
import type { ImageUser } from './context.js';
import { type KubeletFiles, noFiles } from './files.js';
import { sandboxConfig } from './sandbox-config.js';

const root = { uid: 0n };
const files = { newTerminationLog: async () => undefined } as unknown as KubeletFiles;

async function variables(env: string, podIps: readonly string[]): Promise<string[]> {
  const text = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {tier: front}, annotations: {Note: x y}}
spec: {containers: [{name: app, image: "a:1", env: ${env}}]}`;
  const [pod] = parseManifest(text, 'pod.yaml', { nodeName: 'node', now: 0n }).pods;
  const [container] = pod?.spec.containers ?? [];
  if (pod === undefined || container === undefined) throw new Error('no pod');
  const input = { pod, container, restartCount: 0, hash: '', imageRef: 'a:1', user: root, podIps, files };
  const { envs } = await containerConfig(input);
  return envs.map(({ key, value }) => `${key}=${Buffer.from(value)}`);
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
    'HOST=',
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

test.each<[ImageUser, object]>([
  [{ uid: 1000n }, { runAsUser: { value: 1000n }, runAsUsername: '' }],
  [{ username: 'www' }, { runAsUser: undefined, runAsUsername: 'www' }],
])('a container without its own user runs as the user of its image: %o', async (user, expected) => {
  const securityContext = { runAsGroup: 3 };
  const context = async (pod = aPod(), container = aContainer({ securityContext })) => {
    const input = {
      pod,
      container,
      restartCount: 0,
      hash: '',
      imageRef: '',
      user,
      podIps: [],
      files: noFiles,
    };
    return (await containerConfig(input)).linux?.securityContext;
  };
  expect(await context()).toMatchObject({ ...expected, runAsGroup: { value: 3n } });
  expect(await context(aPod({ securityContext: { runAsUser: 7 } }))).toMatchObject({
    runAsUser: { value: 7n },
    runAsUsername: '',
  });
});

test('a sandbox with host network gets its port mappings like any other', () => {
  const ports = [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] as const;
  const pod = aPod({ hostNetwork: true, containers: [aContainer({ ports })] });
  expect(sandboxConfig(pod, 0, '/logs').portMappings).toEqual([
    { protocol: 0, containerPort: 80, hostPort: 80, hostIp: '' },
  ]);
});
