import type { Clock } from '../../../base/clock/clock.js';
import { CriError, NotExecutedError, StatusError } from '../../../cri/errors.js';
import {
  ContainerState,
  ContainerStatusResponse,
  LinuxPodSandboxConfig,
  LinuxSandboxSecurityContext,
  ListContainersResponse,
  ListPodSandboxResponse,
  NamespaceOption,
  PodSandboxStatusResponse,
  type RuntimeHandler,
  StatusResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../../cri/layer.js';
import type { CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { decoded } from '../decoded.js';
import { recordedDescriptors } from '../recorded.js';
import { containerStatusOf } from '../statuses.js';
import { unordered } from '../unordered.js';
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

/** Replies in which CRI-O with its default config differs from the engine. `ociVersion` is that of its specs. */
export const crioReplies =
  (clock: Clock, ociVersion: string): Layer =>
  (engine) => ({
    ...engine,
    ...crioImages(engine),
    ...oneAtATime(engine, clock, withDefaults),
    ...crioStats(engine, clock),
    ...crioMetrics(engine),
    status: async (request, call) => {
      const reply = decoded(StatusResponse, await engine.status(request, call));
      return { ...reply, features: FEATURES, info: request.verbose ? statusInfo() : {} };
    },
    podSandboxStatus: async (request, call) => {
      const reply = await engine.podSandboxStatus(request, call);
      if (!request.verbose) return reply;
      const { status, info, ...rest } = decoded(PodSandboxStatusResponse, reply);
      return { ...rest, status, info: status ? sandboxInfo(info, status, ociVersion) : info };
    },
    containerStatus: async (request, call) => {
      const reply = await engine.containerStatus(request, call);
      if (!request.verbose) return reply;
      const { status, info } = decoded(ContainerStatusResponse, reply);
      const isRunning = status?.state === ContainerState.CONTAINER_RUNNING;
      return { status, info: status ? containerInfo(info, status, isRunning, ociVersion) : info };
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

const descriptors = recordedDescriptors('cri-o/metric-descriptors-1.34.json');

type MetricsService = Pick<CriService, 'listMetricDescriptors' | 'listPodSandboxMetrics'>;

/** included_pod_metrics is empty: no pod has any. */
function crioMetrics(engine: CriService): MetricsService {
  const shown = unordered(descriptors());
  return {
    listMetricDescriptors: () => ({ descriptors: shown() }),
    // Returns metrics of all sandboxes, including stopped ones.
    listPodSandboxMetrics: async (_request, call) => {
      const given = { filter: undefined };
      const { items } = decoded(ListPodSandboxResponse, await engine.listPodSandbox(given, call));
      const all = decoded(ListContainersResponse, await engine.listContainers(given, call));
      const living = all.containers.filter(({ state }) => state !== ContainerState.CONTAINER_EXITED);
      return {
        podMetrics: items.map(({ id: podSandboxId }) => ({
          podSandboxId,
          metrics: [],
          containerMetrics: living
            .filter((container) => container.podSandboxId === podSandboxId)
            .map(({ id }) => ({ containerId: id, metrics: [] })),
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
