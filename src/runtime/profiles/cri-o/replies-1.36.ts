import type { Clock } from '../../../base/clock/clock.js';
import {
  type ContainerMetrics,
  ContainerStatusResponse,
  ListContainersResponse,
  ListPodSandboxMetricsResponse,
  ListPodSandboxResponse,
  type MetricDescriptor,
  MetricType,
  Signal,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../../cri/layer.js';
import type { Call, CriService } from '../../../cri/service.js';
import { decoded } from '../decoded.js';
import { forAnyServer } from '../images.js';
import { streamsOf } from '../streams.js';
import { bareId } from './images.js';
import { crioReplies } from './replies.js';

const SECOND = 1_000_000_000n;

/** Replies that CRI-O 1.36 has in addition to those of 1.34: Stream* lists, a metric, ids from PullImage. */
export const newerReplies =
  (clock: Clock, streamItems: number): Layer =>
  (engine) => {
    const shown = crioReplies(clock, '1.3.0')(engine);
    /** Exec and Attach look up their container, but not its state. */
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
    const lists = { ...shown, listPodSandboxMetrics };
    return {
      ...lists,
      ...streamsOf(lists, streamItems),
      exec: async (request, call) => {
        await found(request.containerId, call);
        return shown.exec(request, call);
      },
      attach: async (request, call) => {
        await found(request.containerId, call);
        return shown.attach(request, call);
      },
      // The config's stop signal is used, but not shown.
      containerStatus: async (request, call) => {
        const reply = decoded(ContainerStatusResponse, await shown.containerStatus(request, call));
        const { status } = reply;
        return { ...reply, status: status && { ...status, stopSignal: Signal.SIGNAL_RUNTIME_DEFAULT } };
      },
      pullImage: async (request, call) => {
        const reply = await engine.pullImage(forAnyServer(request), call);
        return Buffer.isBuffer(reply) ? reply : { imageRef: bareId(reply.imageRef) };
      },
      listMetricDescriptors: () => ({ descriptors: [LAST_SEEN] }),
    };
  };

/** The only metric that CRI-O 1.36 has by default. */
const LAST_SEEN: MetricDescriptor = {
  name: 'container_last_seen',
  help: 'Last time a container was seen by the exporter',
  labelKeys: ['id', 'name', 'image'],
};

/** Labels of metrics, by container id: its id, its name, its image. */
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
