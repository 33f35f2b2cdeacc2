import type { ContainerStats, CpuUsage, MemoryUsage, UInt64Value } from '../../cri/gen/runtime/v1/api.js';
import { allStatuses, CONTAINER_NAME } from '../../kubelet/index.js';
import { toTimeOrNull } from '../../kubelet/kubernetes/time.js';
import type { ClusterNode } from '../node/cluster-node.js';
import type { ContainerUse, NodeUse, PodUse, Usage } from './usage.js';

/** Usage of kubelet, runtime and system of a simulated machine: a fiftieth of a core, and 150 MiB. */
const OWN_NANO_CORES = 20_000_000n;
const OWN_MEMORY = 150n * 1024n * 1024n;
const SECOND = 1_000_000_000n;

/** Adds up a node's usage. Its CPU time never decreases, even if pods end or restart. */
type NodeCounter = (pods: readonly PodUse[], now: bigint) => Usage;

/** A pod with restarted containers counts from 0. */
const grown = (now: bigint, before = 0n): bigint => (now >= before ? now - before : now);

/** Asks a node's runtime for its pods' usage (stats/cri_stats_provider.go ListPodCPUAndMemoryStats). */
export async function nodeUse(node: ClusterNode, now: bigint, signal?: AbortSignal): Promise<NodeUse> {
  const { stats } = await node.cri.listPodSandboxStats({}, { signal });
  const known = new Map(node.pods().map(({ pod, status }) => [pod.metadata.uid, status]));
  const pods = stats.flatMap(({ attributes, linux }): PodUse[] => {
    const metadata = attributes?.metadata;
    if (metadata === undefined) return [];
    const status = known.get(metadata.uid);
    const startedAt = (name: string): bigint => {
      const state = allStatuses(status).find((one) => one.name === name)?.state;
      return state?.kind === 'running' ? state.startedAt : 0n;
    };
    const { name, namespace, uid } = metadata;
    const containers = (linux?.containers ?? []).map((container) => containerUse(container, startedAt));
    const start = status?.startTime ?? 0n;
    return [{ name, namespace, uid, startedAt: start, containers, ...usage(linux?.cpu, linux?.memory) }];
  });
  const counter = counters.get(node) ?? createNodeCounter();
  counters.set(node, counter);
  return { name: node.name, ...counter(pods, now), pods };
}

/** Counts from the first call on. */
function createNodeCounter(): NodeCounter {
  let last: { readonly time: bigint; readonly pods: ReadonlyMap<string, bigint> } | undefined;
  let total = OWN_NANO_CORES;
  return (pods, now) => {
    const sum = (pick: (pod: PodUse) => bigint) => pods.reduce((all, pod) => all + pick(pod), 0n);
    const before = last;
    total += sum(({ uid, cpuNanos }) => grown(cpuNanos, before?.pods.get(uid)));
    total += (OWN_NANO_CORES * (now - (before?.time ?? now))) / SECOND;
    last = { time: now, pods: new Map(pods.map(({ uid, cpuNanos }) => [uid, cpuNanos])) };
    return {
      time: now,
      cpuNanos: total,
      cpuNanoCores: OWN_NANO_CORES + sum((pod) => pod.cpuNanoCores),
      workingSet: OWN_MEMORY + sum((pod) => pod.workingSet),
    };
  };
}

const counters = new WeakMap<ClusterNode, NodeCounter>();

function containerUse(stats: ContainerStats, startedAt: (name: string) => bigint): ContainerUse {
  const name = stats.attributes?.labels[CONTAINER_NAME] ?? stats.attributes?.metadata?.name ?? '';
  return { name, startedAt: startedAt(name), ...usage(stats.cpu, stats.memory) };
}

const numberOf = (field: UInt64Value | undefined): bigint => field?.value ?? 0n;

function usage(cpu: CpuUsage | undefined, memory: MemoryUsage | undefined): Usage {
  return {
    time: cpu?.timestamp ?? memory?.timestamp ?? 0n,
    cpuNanos: numberOf(cpu?.usageCoreNanoSeconds),
    cpuNanoCores: numberOf(cpu?.usageNanoCores),
    workingSet: numberOf(memory?.workingSetBytes),
  };
}

/** The reply of /stats/summary (kubelet stats/v1alpha1 Summary), with CPU and memory only. */
export function summaryJson({ pods, ...node }: NodeUse): object {
  return {
    node: { nodeName: node.name, startTime: null, ...usageJson(node) },
    pods: pods.map(({ name, namespace, uid, startedAt, containers, ...used }) => ({
      podRef: { name, namespace, uid },
      startTime: toTimeOrNull(startedAt),
      containers: containers.map((container) => ({
        name: container.name,
        startTime: toTimeOrNull(container.startedAt),
        ...usageJson(container),
      })),
      ...usageJson(used),
    })),
  };
}

function usageJson({ time, cpuNanos, cpuNanoCores, workingSet }: Usage): object {
  if (time === 0n) return {};
  return {
    cpu: {
      time: toTimeOrNull(time),
      usageNanoCores: Number(cpuNanoCores),
      usageCoreNanoSeconds: Number(cpuNanos),
    },
    memory: { time: toTimeOrNull(time), workingSetBytes: Number(workingSet) },
  };
}
