import type { Clock } from '../../clock/clock.js';
import {
  type ContainerMetrics,
  ContainerStatusResponse,
  ListContainerStatsResponse,
  ListContainersResponse,
  ListImagesResponse,
  ListPodSandboxMetricsResponse,
  ListPodSandboxResponse,
  ListPodSandboxStatsResponse,
  MetricType,
  Signal,
} from '../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../cri/layer.js';
import type { Call, CriService } from '../../cri/service.js';
import { batches } from '../batches.js';
import { decoded } from '../decoded.js';
import { bareId } from './images.js';
import { LAST_SEEN } from './metric-descriptors.js';
import { crioReplies } from './replies.js';

/** Items in a message of a stream (server/server.go, streamChunkSize). */
const BATCH = 3000;
const SECOND = 1_000_000_000n;

/** Replies that CRI-O 1.36 has beyond those of 1.34: Stream* lists, a metric, ids from PullImage. */
export const newerReplies =
  (version: string, clock: Clock): Layer =>
  (engine) => {
    const shown = crioReplies(version, clock)(engine);
    /** Exec and Attach look for their container, but not for its state. */
    const found = async (containerId: string, call: Call) => {
      await engine.containerStatus({ containerId, verbose: false }, call);
    };
    const listPodSandboxMetrics: CriService['listPodSandboxMetrics'] = async (request, call) => {
      const reply = await shown.listPodSandboxMetrics(request, call);
      const { podMetrics } = decoded(ListPodSandboxMetricsResponse, reply);
      const labelsOf = await labels(engine, call);
      const withLastSeen = (one: ContainerMetrics) => ({
        ...one,
        metrics: [lastSeen(clock.now(), labelsOf.get(one.containerId))],
      });
      return {
        podMetrics: podMetrics.map((pod) => ({
          ...pod,
          containerMetrics: pod.containerMetrics.map(withLastSeen),
        })),
      };
    };
    return {
      ...shown,
      exec: async (request, call) => {
        await found(request.containerId, call);
        return shown.exec(request, call);
      },
      attach: async (request, call) => {
        await found(request.containerId, call);
        return shown.attach(request, call);
      },
      // The signal of a config is obeyed, but not shown.
      containerStatus: async (request, call) => {
        const reply = decoded(ContainerStatusResponse, await shown.containerStatus(request, call));
        const { status } = reply;
        return { ...reply, status: status && { ...status, stopSignal: Signal.SIGNAL_RUNTIME_DEFAULT } };
      },
      pullImage: async (request, call) => {
        const reply = await engine.pullImage(request, call);
        return Buffer.isBuffer(reply) ? reply : { imageRef: bareId(reply.imageRef) };
      },
      listMetricDescriptors: () => ({ descriptors: [LAST_SEEN] }),
      listPodSandboxMetrics,
      streamImages: async function* (request, call) {
        const { images } = decoded(ListImagesResponse, await shown.listImages(request, call));
        for (const batch of batches(images, BATCH)) yield { images: batch };
      },
      streamContainerStats: async function* (request, call) {
        const { stats } = decoded(ListContainerStatsResponse, await shown.listContainerStats(request, call));
        for (const containerStats of batches(stats, BATCH)) yield { containerStats };
      },
      streamPodSandboxStats: async function* (request, call) {
        const { stats } = decoded(
          ListPodSandboxStatsResponse,
          await shown.listPodSandboxStats(request, call),
        );
        for (const podSandboxStats of batches(stats, BATCH)) yield { podSandboxStats };
      },
      streamPodSandboxMetrics: async function* (request, call) {
        const { podMetrics } = decoded(
          ListPodSandboxMetricsResponse,
          await listPodSandboxMetrics(request, call),
        );
        for (const podSandboxMetrics of batches(podMetrics, BATCH)) yield { podSandboxMetrics };
      },
    };
  };

/** Labels of metrics, by the id of a container: its id, its name, its image. */
async function labels(engine: CriService, call: Call): Promise<ReadonlyMap<string, string[]>> {
  const given = { filter: undefined };
  const pods = decoded(ListPodSandboxResponse, await engine.listPodSandbox(given, call)).items;
  const { containers } = decoded(ListContainersResponse, await engine.listContainers(given, call));
  const podOf = new Map(pods.map(({ id, metadata }) => [id, metadata]));
  return new Map(
    containers.map(({ id, metadata, podSandboxId, image }) => {
      const { name, namespace, uid } = podOf.get(podSandboxId) ?? {};
      const parts = ['k8s', metadata?.name, name, namespace, uid, metadata?.attempt];
      return [id, [id, parts.join('_'), image?.image ?? '']];
    }),
  );
}

const lastSeen = (now: bigint, labelValues: string[] = []) => ({
  name: LAST_SEEN.name,
  timestamp: now,
  metricType: MetricType.GAUGE,
  labelValues,
  value: { value: now / SECOND },
});
