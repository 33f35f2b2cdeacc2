import { expect, test } from 'vitest';
import { parseManifest } from '../pods/manifest.js';
import { containerConfig } from './container-config.js';
import type { KubeletFiles } from './files.js';

const files = { newTerminationLog: async () => undefined } as unknown as KubeletFiles;

async function variables(env: string, podIps: readonly string[]): Promise<string[]> {
  const text = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {tier: front}, annotations: {Note: x y}}
spec: {containers: [{name: app, image: "a:1", env: ${env}}]}`;
  const [pod] = parseManifest(text, 'pod.yaml', { nodeName: 'node', now: 0n }).pods;
  const [container] = pod?.spec.containers ?? [];
  if (pod === undefined || container === undefined) throw new Error('no pod');
  const input = { pod, container, restartCount: 0, hash: '', imageRef: 'a:1', podIps, files };
  const { envs } = await containerConfig(input);
  return envs.map(({ key, value }) => `${key}=${Buffer.from(value)}`);
}

const field = (name: string, path: string) =>
  `{name: ${name}, valueFrom: {fieldRef: {fieldPath: "${path}"}}}`;

test('takes variables from the pod, also what is known only once its sandbox runs', async () => {
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

test('expands only what was written as a value', async () => {
  const env = `[{name: A, value: a}, ${field('B', "metadata.labels['missing']")}, {name: C, value: "$(A)$$(A)$(D)$(B)"}]`;
  expect(await variables(env, [])).toEqual(['A=a', 'B=', 'C=a$(A)$(D)']);
});

test('refuses a field that no variable may be taken from', async () => {
  await expect(variables(`[${field('PHASE', 'status.phase')}]`, [])).rejects.toThrow(
    /fieldPath: must be one of metadata\.name, .*status\.podIPs, metadata\.labels\['key'\].*given "status\.phase"/s,
  );
});
