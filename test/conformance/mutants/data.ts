import { Signal } from '../../../src/cri/gen/runtime/v1/api.js';
import { after, before, ContainerState, inStatus, type Mutant, mutant, sleep } from './mutant.js';

const { CONTAINER_CREATED, CONTAINER_RUNNING, CONTAINER_EXITED } = ContainerState;
const SECOND = 1_000_000_000n;

const roundTrip: readonly Mutant[] = [
  mutant(
    'sandboxes get an extra label',
    'INV-22.sandbox',
    after('podSandboxStatus', ({ status }) => {
      if (status) status.labels['io.kubernetes.pod.uid'] = 'unknown';
    }),
  ),
  mutant(
    'labels of sandboxes in lists lose non-ASCII characters',
    'INV-22.sandbox',
    after('listPodSandbox', ({ items }) => {
      for (const { labels } of items)
        for (const [key, value] of Object.entries(labels))
          labels[key] = Buffer.from(value, 'latin1').toString();
    }),
  ),
  mutant(
    'labels with an empty value are dropped',
    'INV-22.container',
    inStatus((status) => {
      status.labels = Object.fromEntries(Object.entries(status.labels).filter(([, value]) => value));
    }),
  ),
  mutant(
    'newlines in annotations become spaces',
    'INV-22.container',
    before('createContainer', ({ config }) => {
      for (const [key, value] of Object.entries(config?.annotations ?? {}))
        if (config) config.annotations[key] = value.replaceAll('\n', ' ');
    }),
  ),
  mutant(
    'annotations are cut at 4,096 characters',
    'INV-22.long',
    inStatus(({ annotations }) => {
      for (const [key, value] of Object.entries(annotations)) annotations[key] = value.slice(0, 4096);
    }),
  ),
  mutant(
    'attempt 0 is returned as 1',
    'INV-23.metadata',
    inStatus(({ metadata }) => {
      if (metadata?.attempt === 0) metadata.attempt = 1;
    }),
  ),
  mutant(
    'the namespace of a sandbox is lost',
    'INV-23.metadata',
    after('podSandboxStatus', ({ status }) => {
      if (status?.metadata) status.metadata.namespace = 'default';
    }),
  ),
  mutant(
    'the uid of a sandbox is another one in the list',
    'INV-23.metadata',
    after('listPodSandbox', ({ items }) => {
      for (const { metadata } of items) if (metadata) metadata.uid = `${metadata.uid}-0`;
    }),
  ),
  mutant(
    'log_path is not joined with the log directory',
    'INV-23.log-path',
    inStatus((status) => {
      status.logPath = status.logPath.split('/').slice(-2).join('/');
    }),
  ),
  mutant(
    'mounts are not in the status',
    'INV-23.mounts',
    inStatus((status) => {
      status.mounts = [];
    }),
  ),
  mutant(
    'mounts are never read-only',
    'INV-23.mounts',
    before('createContainer', ({ config }) => {
      for (const mount of config?.mounts ?? []) mount.readonly = false;
    }),
  ),
  mutant('the stop signal is shown but not sent', 'INV-23.stop-signal', (real) => ({
    ...before('createContainer', ({ config }) => {
      if (config) config.stopSignal = Signal.SIGNAL_RUNTIME_DEFAULT;
    })(real),
    ...inStatus((status) => {
      status.stopSignal = Signal.SIGNAL_SIGUSR1;
    })(real),
  })),
  mutant(
    'UpdateContainerResources is OK and does nothing',
    ['INV-23.update', 'INV-23.update-unknown'],
    () => ({
      updateContainerResources: async () => ({}),
    }),
  ),
  mutant(
    'there is info without verbose',
    'INV-24.verbose',
    after('podSandboxStatus', ({ info }) => {
      info.info = '{}';
    }),
  ),
  mutant(
    'verbose info is invalid JSON',
    'INV-24.verbose',
    after('containerStatus', ({ info }, { verbose }) => {
      if (verbose) info.info = '{"pid": }';
    }),
  ),
];

const time: readonly Mutant[] = [
  mutant(
    'times of containers are in seconds',
    'INV-25.order',
    inStatus((status) => {
      status.createdAt /= SECOND;
      status.startedAt /= SECOND;
      status.finishedAt /= SECOND;
    }),
  ),
  mutant(
    'times of containers are in microseconds',
    'INV-25.order',
    inStatus((status) => {
      status.createdAt /= 1000n;
      status.startedAt /= 1000n;
      status.finishedAt /= 1000n;
    }),
  ),
  mutant(
    'a created container has started_at',
    'INV-25.order',
    inStatus((status) => {
      if (status.state === CONTAINER_CREATED) status.startedAt = status.createdAt;
    }),
  ),
  mutant(
    'a running container has finished_at',
    'INV-25.order',
    inStatus((status) => {
      if (status.state === CONTAINER_RUNNING) status.finishedAt = status.startedAt;
    }),
  ),
  mutant(
    'finished_at is before started_at',
    'INV-25.order',
    inStatus((status) => {
      if (status.state === CONTAINER_EXITED) status.finishedAt = status.startedAt - 1n;
    }),
  ),
  mutant(
    'created_at of sandboxes is in milliseconds',
    'INV-25.sandbox',
    after('podSandboxStatus', ({ status }) => {
      if (status) status.createdAt /= 1_000_000n;
    }),
  ),
  mutant(
    'created_at is the time of the last start',
    'INV-26.constant',
    inStatus((status) => {
      if (status.startedAt > 0n) status.createdAt = status.startedAt;
    }),
  ),
  mutant('later containers have an earlier created_at', 'INV-26.constant', (real) => {
    const order: string[] = [];
    return {
      ...after('createContainer', ({ containerId }) => {
        order.push(containerId);
      })(real),
      ...inStatus((status) => {
        status.createdAt -= BigInt(order.indexOf(status.id)) * SECOND;
      })(real),
    };
  }),
];

const exits: readonly Mutant[] = [
  mutant(
    'the exit code is only 0 or 1',
    'INV-27.code',
    inStatus((status) => {
      status.exitCode = Math.min(status.exitCode, 1);
    }),
  ),
  mutant(
    'the reason is also Error for exit code 0',
    'INV-27.code',
    inStatus((status) => {
      if (status.state === CONTAINER_EXITED) status.reason = 'Error';
    }),
  ),
  mutant(
    'a running container has a reason',
    'INV-27.not-exited',
    inStatus((status) => {
      if (status.state === CONTAINER_RUNNING) status.reason = 'Running';
    }),
  ),
  mutant(
    'a killed container has the signal number as its exit code',
    ['INV-27.killed', 'INV-28.at-once', 'INV-28.grace'],
    inStatus((status) => {
      if (status.exitCode === 137) status.exitCode = 9;
    }),
  ),
  mutant(
    'StopContainer with timeout 0 waits for the process',
    'INV-28.at-once',
    before('stopContainer', (request) => {
      if (request.timeout === 0n) request.timeout = 30n;
    }),
  ),
  mutant(
    'StopContainer kills without a grace period',
    ['INV-28.grace', 'INV-28.early'],
    before('stopContainer', (request) => {
      request.timeout = 0n;
    }),
  ),
  mutant('StopContainer returns before the process has ended', 'INV-28.grace', (real) => ({
    stopContainer: async (request, call) => {
      void real.stopContainer(request, { ...call, signal: new AbortController().signal }).catch(() => {});
      return {};
    },
  })),
  mutant(
    'StopContainer waits for the whole grace period',
    'INV-28.early',
    after('stopContainer', async (_, { timeout }) => {
      await sleep(Number(timeout) * 1000);
    }),
  ),
];

export const dataMutants: readonly Mutant[] = [...roundTrip, ...time, ...exits];
