import type { Clock } from '../../../base/clock/clock.js';
import { type ContainerStats, ListContainersResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { Call, CriService } from '../../../cri/service.js';
import { decoded } from '../decoded.js';

/** A container that has lived for this long was measured twice, once a second (stats_collector.go), in nanoseconds. */
const MEASURED_TWICE = 2_000_000_000n;

/**
 * For lists of stats since 2.4: usage_nano_cores is the rate since the last measurement, and unset after the first one
 * (getUsageNanoCores). A list measures containers that no collector has measured.
 */
export function rates(engine: CriService, clock: Clock) {
  let measured = new Set<string>();
  return async (stats: readonly ContainerStats[], call: Call): Promise<ContainerStats[]> => {
    const reply = await engine.listContainers({ filter: undefined }, call);
    const { containers } = decoded(ListContainersResponse, reply);
    const createdAt = new Map(containers.map((container) => [container.id, container.createdAt]));
    const now = clock.now();
    const hasRate = (id: string) => measured.has(id) || now - (createdAt.get(id) ?? now) >= MEASURED_TWICE;
    const shown = stats.map(({ cpu, ...rest }) => ({
      ...rest,
      cpu: cpu && (hasRate(rest.attributes?.id ?? '') ? cpu : { ...cpu, usageNanoCores: undefined }),
    }));
    const listed = stats.flatMap(({ cpu, attributes }) => (cpu && attributes ? [attributes.id] : []));
    measured = new Set([...measured, ...listed].filter((id) => createdAt.has(id)));
    return shown;
  };
}
