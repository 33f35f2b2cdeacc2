import type { Clock } from '../../../base/clock/clock.js';
import { StatusError } from '../../../cri/errors.js';
import {
  type ContainerStats,
  LinuxContainerResources,
  ListContainerStatsResponse,
  ListContainersResponse,
  PodSandboxStatusResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../../cri/layer.js';
import type { Call, CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { decoded } from '../decoded.js';
import { goJson } from '../go-json.js';
import { type Info, parseInfo } from '../info.js';
import { streamsOf } from '../streams.js';
import { containerdMetrics, type MetricFacts } from './metrics.js';
import { containerdReplies, type ReplyFacts } from './replies.js';

/** A container that has lived for this long was measured twice, once a second (stats_collector.go), in nanoseconds. */
const MEASURED_TWICE = 2_000_000_000n;

/** Replies that 2.3 and 2.4 have in addition to 2.1's: metrics, Stream* lists (2.4), sandbox resources. */
export const newerReplies =
  (facts: ReplyFacts, metricFacts: MetricFacts, clock: Clock, streamItems: number): Layer =>
  (engine) => {
    const shown = containerdReplies(facts, clock)(engine);
    const metrics = containerdMetrics(engine, clock, metricFacts);
    const withRates = rates(engine, clock);
    const listContainerStats: CriService['listContainerStats'] = async (request, call) => {
      const { stats } = decoded(ListContainerStatsResponse, await shown.listContainerStats(request, call));
      return { stats: await withRates(stats, call) };
    };
    const lists = { ...shown, ...metrics, listContainerStats };
    return {
      ...lists,
      ...streamsOf(lists, streamItems),
      podSandboxStatus: async (request, call) => {
        const { podSandboxId } = request;
        const given = decoded(
          PodSandboxStatusResponse,
          await engine.podSandboxStatus({ podSandboxId, verbose: true }, call),
        );
        const reply = decoded(PodSandboxStatusResponse, await shown.podSandboxStatus(request, call));
        const info = request.verbose ? parseInfo<object>(reply.info) : NO_INFO;
        return { ...reply, info: { info: JSON.stringify({ ...info, ...updated(given.info) }) } };
      },
      checkpointContainer: ({ containerId }) => {
        throw new StatusError(
          Code.UNKNOWN,
          `failed to checkpoint container "${containerId}": criu binary not found in shim path or system PATH`,
        );
      },
    };
  };

/**
 * For lists of stats since 2.4: usage_nano_cores is the rate since the last measurement, and unset after the first one
 * (getUsageNanoCores). A list measures containers that no collector has measured.
 */
function rates(engine: CriService, clock: Clock) {
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

/** PodSandboxStatus has this even without `verbose`, as encoding/json writes an empty struct (setUpdatedResources). */
const NO_INFO = {
  pid: 0,
  processStatus: '',
  netNamespaceClosed: false,
  image: '',
  snapshotKey: '',
  snapshotter: '',
  runtimeType: '',
  runtimeOptions: null,
  config: null,
  runtimeSpec: null,
  cniResult: null,
  sandboxMetadata: null,
};

function updated(given: Info): object {
  const { overhead, resources } = parseInfo<object>(given) as { overhead?: object; resources?: object };
  if (overhead === undefined && resources === undefined) return {};
  return { overhead: linux(overhead), resources: linux(resources) };
}

const linux = (resources: object | undefined): object =>
  resources === undefined ? {} : { linux: goJson(LinuxContainerResources.fromJSON(resources)) };
