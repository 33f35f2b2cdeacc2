import type { Clock } from '../../../base/clock/clock.js';
import { CriError, NotExecutedError, StatusError } from '../../../cri/errors.js';
import {
  type Container,
  ContainerState,
  ContainerStatusResponse,
  LinuxPodSandboxConfig,
  LinuxSandboxSecurityContext,
  ListContainersResponse,
  ListPodSandboxResponse,
  type MetricDescriptor,
  MetricType,
  NamespaceOption,
  type PodSandbox,
  PodSandboxStatusResponse,
  type RuntimeHandler,
  Signal,
  StatusResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../../cri/layer.js';
import type { Call, CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { decoded } from '../decoded.js';
import { containerStatusOf } from '../statuses.js';
import { streamsOf } from '../streams.js';
import { runcOutput } from './errors.js';
import { crioImages } from './images.js';
import { containerInfo, sandboxInfo, statusInfo } from './info.js';
import { oneAtATime, orGone } from './repeats.js';
import { createShownStats } from './stats.js';

/** Labels that the kubelet gives a pod, and CRI-O adds if they are missing (server/sandbox_run.go). */
const LABELS = {
  name: 'io.kubernetes.pod.name',
  namespace: 'io.kubernetes.pod.namespace',
  uid: 'io.kubernetes.pod.uid',
} as const;

/** Label of a sandbox's own container. */
const CONTAINER_NAME = { 'io.kubernetes.container.name': 'POD' };

const OCI_VERSION = '1.3.0';

/** Replies in which CRI-O with its default config differs from the engine. */
export const crioReplies = (clock: Clock, streamItems: number): Layer => {
  const shown = shownReplies(clock);
  return (engine) => {
    const lists = shown(engine);
    return { ...lists, ...streamsOf(lists, streamItems) };
  };
};

const shownReplies =
  (clock: Clock): Layer =>
  (engine) => ({
    ...engine,
    ...crioImages(engine),
    ...oneAtATime(engine, clock, withDefaults),
    ...crioStats(engine, clock),
    ...crioMetrics(engine, clock),
    status: async (request, call) => {
      const reply = decoded(StatusResponse, await engine.status(request, call));
      return { ...reply, features: FEATURES, info: request.verbose ? statusInfo() : {} };
    },
    podSandboxStatus: async (request, call) => {
      const reply = await engine.podSandboxStatus(request, call);
      if (!request.verbose) return reply;
      const { status, info, ...rest } = decoded(PodSandboxStatusResponse, reply);
      return { ...rest, status, info: status ? sandboxInfo(info, status, OCI_VERSION) : info };
    },
    containerStatus: async (request, call) => {
      const reply = decoded(ContainerStatusResponse, await engine.containerStatus(request, call));
      const { status, info } = reply;
      if (status === undefined) return reply;
      // The config's stop signal is used, but not shown.
      const shown = { ...status, stopSignal: Signal.SIGNAL_RUNTIME_DEFAULT };
      if (!request.verbose) return { ...reply, status: shown };
      const isRunning = status.state === ContainerState.CONTAINER_RUNNING;
      return { status: shown, info: containerInfo(info, status, isRunning, OCI_VERSION) };
    },
    exec: async (request, call) => {
      await found(engine, request.containerId, call);
      return engine.exec(request, call);
    },
    attach: async (request, call) => {
      await found(engine, request.containerId, call);
      return engine.attach(request, call);
    },
    stopPodSandbox: (request, call) => orGone(() => engine.stopPodSandbox(request, call)),
    execSync: async (request, call) => {
      try {
        return await engine.execSync(request, call);
      } catch (error) {
        // The runtime's monitor ends the command.
        if (error instanceof CriError && error.kind === 'timeout') return TIMED_OUT;
        throw notExecuted(error, clock.now());
      }
    },
    // enable_pod_events is off.
    getContainerEvents: async function* () {},
    checkpointContainer: () => {
      throw new CriError('internal', 'checkpoint/restore support not available');
    },
    updateRuntimeConfig: () => ({}),
  });

/** Exec and Attach look up their container, but not its state. */
const found = (engine: CriService, containerId: string, call: Call) =>
  engine.containerStatus({ containerId, verbose: false }, call);

type StatsService = Pick<
  CriService,
  'containerStats' | 'listContainerStats' | 'podSandboxStats' | 'listPodSandboxStats'
>;

function crioStats(engine: CriService, clock: Clock): StatsService {
  const shown = createShownStats(() => clock.now());
  return {
    containerStats: async (request, call) => {
      const reply = await engine.containerStats(request, call);
      if (Buffer.isBuffer(reply) || reply.stats === undefined) return reply;
      const status = await containerStatusOf(engine, request.containerId, call);
      const isOver = status?.state === ContainerState.CONTAINER_EXITED;
      return { stats: isOver ? undefined : shown.container(reply.stats) };
    },
    listContainerStats: async (request, call) => {
      const reply = await engine.listContainerStats(request, call);
      return Buffer.isBuffer(reply) ? reply : { stats: reply.stats.map(shown.container) };
    },
    podSandboxStats: async (request, call) => {
      const reply = await engine.podSandboxStats(request, call);
      return Buffer.isBuffer(reply) ? reply : { stats: reply.stats && shown.pod(reply.stats) };
    },
    listPodSandboxStats: async (request, call) => {
      const reply = await engine.listPodSandboxStats(request, call);
      return Buffer.isBuffer(reply) ? reply : { stats: reply.stats.map(shown.pod) };
    },
  };
}

type MetricsService = Pick<CriService, 'listMetricDescriptors' | 'listPodSandboxMetrics'>;

const SECOND = 1_000_000_000n;

/** The only metric that CRI-O has by default: included_pod_metrics is empty. */
const LAST_SEEN: MetricDescriptor = {
  name: 'container_last_seen',
  help: 'Last time a container was seen by the exporter',
  labelKeys: ['id', 'name', 'image'],
};

/** Returns metrics of all sandboxes, including stopped ones. */
function crioMetrics(engine: CriService, clock: Clock): MetricsService {
  return {
    listMetricDescriptors: () => ({ descriptors: [LAST_SEEN] }),
    listPodSandboxMetrics: async (_request, call) => {
      const given = { filter: undefined };
      const pods = decoded(ListPodSandboxResponse, await engine.listPodSandbox(given, call)).items;
      const { containers } = decoded(ListContainersResponse, await engine.listContainers(given, call));
      const living = containers.filter(({ state }) => state !== ContainerState.CONTAINER_EXITED);
      const lastSeen = ({ id, metadata, image }: Container, pod: PodSandbox) => {
        const { name, namespace, uid } = pod.metadata ?? {};
        const parts = ['k8s', metadata?.name, name, namespace, uid, metadata?.attempt];
        return {
          name: LAST_SEEN.name,
          timestamp: clock.now(),
          metricType: MetricType.GAUGE,
          labelValues: [id, parts.join('_'), image?.image ?? ''],
          value: { value: clock.now() / SECOND },
        };
      };
      return {
        podMetrics: pods.map((pod) => ({
          podSandboxId: pod.id,
          metrics: [],
          containerMetrics: living
            .filter(({ podSandboxId }) => podSandboxId === pod.id)
            .map((container) => ({ containerId: container.id, metrics: [lastSeen(container, pod)] })),
        })),
      };
    },
  };
}

const FEATURES = { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false, mountOptions: false };

/** The features of runc 1.1. */
const RUNC = { recursiveReadOnlyMounts: true, userNamespaces: false };

/** The default runtime has a name too. */
export const crioHandlers = (given: readonly RuntimeHandler[]): readonly RuntimeHandler[] =>
  given.flatMap((handler) => {
    const features = { ...handler.features, ...RUNC };
    return handler.name === ''
      ? [
          { name: 'runc', features },
          { name: '', features },
        ]
      : [handler];
  });

type RunRequest = Parameters<CriService['runPodSandbox']>[0];

function withDefaults(request: RunRequest): RunRequest {
  const { config } = request;
  if (config?.metadata === undefined) return request;
  const { metadata, labels, linux } = config;
  const missing = Object.entries(LABELS).filter(([, label]) => labels[label] === undefined);
  const added = Object.fromEntries(
    missing.map(([field, label]) => [label, metadata[field as keyof typeof LABELS]]),
  );
  const security = linux?.securityContext ?? LinuxSandboxSecurityContext.fromPartial({});
  const namespaceOptions = security.namespaceOptions ?? NamespaceOption.fromPartial({});
  // CRI-O ignores a group without a user.
  const runAsGroup = security.runAsUser && security.runAsGroup;
  const shown = {
    ...(linux ?? LinuxPodSandboxConfig.fromPartial({})),
    securityContext: { ...security, runAsGroup, namespaceOptions },
  };
  return {
    ...request,
    config: { ...config, linux: shown, labels: { ...labels, ...added, ...CONTAINER_NAME } },
  };
}

const TIMED_OUT = { stdout: Buffer.alloc(0), stderr: Buffer.from('command timed out'), exitCode: -1 };

function notExecuted(error: unknown, now: bigint): unknown {
  if (!(error instanceof NotExecutedError)) return error;
  const output = runcOutput(error.refusal, '', now);
  return new StatusError(Code.UNKNOWN, `command error: ${output}, stdout: , stderr: , exit code -1`, {
    cause: error,
  });
}
