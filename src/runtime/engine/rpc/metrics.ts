import { unsupported } from '../../../cri/errors.js';
import {
  ListMetricDescriptorsResponse,
  type Metric,
  type PodSandboxMetrics,
} from '../../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../cri/service.js';
import type { MetricsBackend } from '../backend/usage.js';
import type { Engine } from '../engine.js';
import { encode } from '../state/protobuf-splice.js';

type MetricsService = Pick<CriService, 'listMetricDescriptors' | 'listPodSandboxMetrics'>;

/** Both RPCs throw `unsupported` if the backend has no metrics. */
export function metricsService(engine: Engine): MetricsService {
  const { metrics } = engine.backend;
  // Encoded once: descriptors never change in the runtime's life (INV-49).
  const descriptors =
    metrics && encode(ListMetricDescriptorsResponse, { descriptors: [...metrics.descriptors] });
  return {
    listMetricDescriptors: () => descriptors ?? refuse(),
    listPodSandboxMetrics: async () => ({ podMetrics: await collectMetrics(engine) }),
  };
}

export async function collectMetrics(engine: Engine): Promise<PodSandboxMetrics[]> {
  const { metrics } = engine.backend;
  if (metrics === undefined) return refuse();
  const described = describedBy(metrics);
  const collected: PodSandboxMetrics[] = [];
  for (const sandbox of [...engine.store.sandboxes.values()]) {
    if (sandbox.state !== 'READY') continue;
    const { pod, containers } = await metrics.collect(sandbox.id);
    collected.push({
      podSandboxId: sandbox.id,
      metrics: pod.filter(described),
      containerMetrics: Array.from(containers, ([containerId, own]) => ({
        containerId,
        metrics: own.filter(described),
      })),
    });
  }
  return collected;
}

/** Accepts only metrics that have a descriptor, and as many label values as it has keys (INV-49). */
function describedBy({ descriptors }: MetricsBackend): (metric: Metric) => boolean {
  const keys = new Map(descriptors.map(({ name, labelKeys }) => [name, labelKeys.length]));
  return ({ name, labelValues }) => keys.get(name) === labelValues.length;
}

function refuse(): never {
  throw unsupported('this runtime has no metrics');
}
