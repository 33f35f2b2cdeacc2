import { join } from 'node:path';
import { changing, type Forms, type Rpc, reading, type Target } from './rpc.js';

const id = ({ containerId }: Target) => ({ containerId });

const create = ({ podSandboxId, pod, container }: Target, changes: object = {}) => ({
  podSandboxId,
  config: { ...container, ...changes },
  sandboxConfig: pod,
});

/** No form omits the sandbox's config: containerd 2.1.9 crashes on it, and the runtime may be in use. */
const createForms: Forms = {
  '': (target) => create(target),
  'as attempt 1': (target) => create(target, { metadata: { ...target.container.metadata, attempt: 1 } }),
  'of an absent image': (target) => create(target, { image: { image: target.absentImage } }),
  'without an image': (target) => create(target, { image: undefined }),
  'of a malformed image': (target) => create(target, { image: { image: 'No/Such/IMAGE' } }),
  'without metadata': (target) => create(target, { metadata: undefined }),
  'without a name': (target) => create(target, { metadata: { name: '', attempt: 0 } }),
  'without config': ({ podSandboxId, pod }) => ({ podSandboxId, sandboxConfig: pod }),
  'with a group and no user': (target) =>
    create(target, { linux: { securityContext: { runAsGroup: { value: 1000n } } } }),
  'as a user that the image lacks': (target) =>
    create(target, { linux: { securityContext: { runAsUsername: 'nobody-here' } } }),
  'with limits': (target) =>
    create(target, { linux: { resources: { cpuShares: 512n, memoryLimitInBytes: 67_108_864n } } }),
  'with a mount of a missing path': (target) =>
    create(target, { mounts: [{ containerPath: '/data', hostPath: join(target.directory, 'missing') }] }),
  'with a recursive read-only mount that is writable': (target) =>
    create(target, {
      mounts: [{ containerPath: '/data', hostPath: target.directory, recursiveReadOnly: true }],
    }),
};

const exec = ({ containerId }: Target, changes: object = {}) => ({
  containerId,
  cmd: ['true'],
  stdout: true,
  ...changes,
});

const sync = ({ containerId }: Target, cmd: readonly string[], timeout = 10n) => ({
  containerId,
  cmd,
  timeout,
});

export const containerRpcs: readonly Rpc[] = [
  changing('CreateContainer', 'new container', 12, createForms),
  changing('StartContainer', 'container', 12, { '': id }),
  changing('StopContainer', 'container', 6, {
    '': ({ containerId, grace }) => ({ containerId, timeout: grace }),
  }),
  changing('RemoveContainer', 'container', 6, { '': id }),
  changing('UpdateContainerResources', 'container', 2, {
    '': ({ containerId }) => ({ containerId, linux: { cpuShares: 256n } }),
    'without resources': id,
  }),
  changing('ReopenContainerLog', 'container', 2, { '': id }),
  changing('CheckpointContainer', 'container', 0.3, {
    // Each pod has its own file: checkpoints are never overwritten.
    '': ({ containerId, pod }) => ({ containerId, location: `${pod.logDirectory}.tar` }),
  }),
  reading('ContainerStatus', 'container', 1, {
    '': id,
    verbose: ({ containerId }) => ({ containerId, verbose: true }),
  }),
  reading('ListContainers', 'container', 2, {
    '': () => ({}),
    'by id': ({ containerId }) => ({ filter: { id: containerId } }),
    'by pod': ({ podSandboxId }) => ({ filter: { podSandboxId } }),
    'in CREATED': () => ({ filter: { state: { state: 0 } } }),
    'in RUNNING': () => ({ filter: { state: { state: 1 } } }),
    'in EXITED': () => ({ filter: { state: { state: 2 } } }),
    'by label': () => ({ filter: { labelSelector: { app: 'diff' } } }),
    'by a label that none has': () => ({ filter: { labelSelector: { app: '' } } }),
  }),
  reading('StreamContainers', 'none', 0.3, { '': () => ({}) }),
  reading('ContainerStats', 'container', 1, { '': id }),
  reading('ListContainerStats', 'container', 1, {
    '': () => ({}),
    'by id': ({ containerId }) => ({ filter: { id: containerId } }),
    'by pod': ({ podSandboxId }) => ({ filter: { podSandboxId } }),
  }),
  reading('StreamContainerStats', 'none', 0.3, { '': () => ({}) }),
  reading('ExecSync', 'container', 3, {
    '': (target) => sync(target, ['true']),
    'of a program that prints and fails': (target) =>
      sync(target, ['sh', '-c', 'echo out; echo err >&2; exit 3']),
    'of a program that kills itself': (target) => sync(target, ['sh', '-c', 'kill -9 $$']),
    'of a missing program': (target) => sync(target, ['/no/such/program']),
    'without a command': (target) => sync(target, []),
    'beyond its timeout': (target) => sync(target, ['sleep', '30'], 1n),
  }),
  reading('Exec', 'container', 1, {
    '': (target) => exec(target),
    'without streams': (target) => exec(target, { stdout: false }),
    'with a terminal and stderr': (target) => exec(target, { tty: true, stderr: true }),
    'without a command': (target) => exec(target, { cmd: [] }),
  }),
  reading('Attach', 'container', 1, {
    '': ({ containerId }) => ({ containerId, stdout: true }),
    'without streams': id,
    'with a terminal that it lacks': ({ containerId }) => ({ containerId, stdout: true, tty: true }),
  }),
];
