import { changing, type Forms, type Rpc, reading, type Target } from './rpc.js';

const id = ({ podSandboxId }: Target) => ({ podSandboxId });

const runForms: Forms = {
  '': ({ pod }) => ({ config: pod, runtimeHandler: '' }),
  'in the network of the host': ({ pod }) => ({
    config: { ...pod, hostname: '', linux: { securityContext: { namespaceOptions: { network: 2 } } } },
  }),
  'with an unknown runtime handler': ({ pod }) => ({ config: pod, runtimeHandler: 'no-such-handler' }),
  'without config': () => ({}),
  'without metadata': ({ pod }) => ({ config: { ...pod, metadata: undefined } }),
  'without a name': ({ pod }) => ({ config: { ...pod, metadata: { ...pod.metadata, name: '' } } }),
  'without a namespace': ({ pod }) => ({ config: { ...pod, metadata: { ...pod.metadata, namespace: '' } } }),
  'without a uid': ({ pod }) => ({ config: { ...pod, metadata: { ...pod.metadata, uid: '' } } }),
  'as attempt 1': ({ pod }) => ({ config: { ...pod, metadata: { ...pod.metadata, attempt: 1 } } }),
  'with a group and no user': ({ pod }) => ({
    config: { ...pod, linux: { securityContext: { runAsGroup: { value: 1000n } } } },
  }),
};

export const podRpcs: readonly Rpc[] = [
  changing('RunPodSandbox', 'new pod', 5, runForms),
  changing('StopPodSandbox', 'pod', 5, { '': id }),
  changing('RemovePodSandbox', 'pod', 4, { '': id }),
  reading('PodSandboxStatus', 'pod', 1, {
    '': id,
    verbose: ({ podSandboxId }) => ({ podSandboxId, verbose: true }),
  }),
  reading('ListPodSandbox', 'pod', 2, {
    '': () => ({}),
    'by id': ({ podSandboxId }) => ({ filter: { id: podSandboxId } }),
    'in READY': () => ({ filter: { state: { state: 0 } } }),
    'in NOTREADY': () => ({ filter: { state: { state: 1 } } }),
    'by label': () => ({ filter: { labelSelector: { app: 'diff' } } }),
    'by a label that none has': () => ({ filter: { labelSelector: { app: '' } } }),
  }),
  reading('StreamPodSandboxes', 'none', 0.3, { '': () => ({}) }),
  reading('PodSandboxStats', 'pod', 1, { '': id }),
  reading('ListPodSandboxStats', 'pod', 1, {
    '': () => ({}),
    'by id': ({ podSandboxId }) => ({ filter: { id: podSandboxId } }),
  }),
  reading('StreamPodSandboxStats', 'none', 0.3, { '': () => ({}) }),
  reading('PortForward', 'pod', 1, {
    '': ({ podSandboxId }) => ({ podSandboxId, port: [80] }),
    'without ports': id,
    'of port 0': ({ podSandboxId }) => ({ podSandboxId, port: [0] }),
  }),
  changing('UpdatePodSandboxResources', 'pod', 0.5, {
    '': ({ podSandboxId }) => ({ podSandboxId, resources: { cpuShares: 512n } }),
  }),
];
