import type {
  ContainerStats,
  ContainerStatsResponse,
  ListContainerStatsResponse,
  ListPodSandboxStatsResponse,
  PodSandboxStats,
  PodSandboxStatsResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

/** CPU time that may pass while the parts of one answer are measured, in ns. */
const CPU_SLACK = 1_000_000_000n;
/** Bytes that memory may change by meanwhile, in addition to half of it. */
const MEMORY_SLACK = 8n * 1024n * 1024n;
/** Containers and pods that are remembered. */
const MOST = 5000;

interface Look {
  readonly name: string;
  readonly cpu: bigint | undefined;
  readonly memory: bigint | undefined;
  readonly callLine: number;
  readonly replyLine: number;
}

/** Compares what containers use with what their pods use, which includes it (INV-48.own). */
export function watchOwnUsage(findings: Findings): Watcher {
  const containers = new Map<string, Look>();
  const pods = new Map<string, Look>();
  const podOf = new Map<string, string>();

  const ofContainer = (stats: ContainerStats, exchange: AnsweredCall) => {
    const id = stats.attributes?.id ?? '';
    const [look, before] = [lookAt(stats, exchange), containers.get(id)];
    containers.set(id, look);
    const pod = pods.get(podOf.get(id) ?? '');
    if (pod?.memory === undefined || look.memory === undefined || look.memory !== before?.memory) return;
    const isBetween = before.replyLine < pod.callLine && pod.replyLine < look.callLine;
    if (isBetween && exceeds(look.memory, pod.memory))
      findings.add('INV-48.own', id, `${look.name} has ${look.memory} bytes, and its pod ${pod.memory}`, [
        before.replyLine,
        pod.replyLine,
        look.replyLine,
      ]);
  };

  const ofPod = ({ attributes, linux }: PodSandboxStats, exchange: AnsweredCall) => {
    if (attributes === undefined || linux === undefined) return;
    const { id, metadata } = attributes;
    const pod = lookAt({ attributes: { metadata }, ...linux }, exchange);
    pods.set(id, pod);
    const members = linux.containers.map((stats) => lookAt(stats, exchange));
    for (const stats of linux.containers) podOf.set(stats.attributes?.id ?? '', id);
    const sum = (of: (look: Look) => bigint | undefined) =>
      members.reduce((total, look) => total + (of(look) ?? 0n), 0n);
    const [cpu, memory] = [sum((look) => look.cpu), sum((look) => look.memory)];
    const broken = (what: string) =>
      findings.add('INV-48.own', id, `the containers of ${pod.name} have ${what}`, [exchange.replyLine]);
    if (pod.memory !== undefined && exceeds(memory, pod.memory))
      broken(`${memory} bytes, and the pod ${pod.memory}`);
    if (pod.cpu !== undefined && cpu > pod.cpu + CPU_SLACK)
      broken(`used the CPU for ${cpu} ns, and the pod for ${pod.cpu}`);
  };

  const forget = () => {
    for (const known of [containers, pods, podOf]) known.clear();
  };
  return {
    answered: (exchange) => {
      if (containers.size + pods.size > MOST) forget();
      for (const stats of podsIn(exchange)) ofPod(stats, exchange);
      for (const stats of containersIn(exchange)) ofContainer(stats, exchange);
    },
    forget,
  };
}

const exceeds = (bytes: bigint, ofPod: bigint): boolean => bytes > (ofPod * 3n) / 2n + MEMORY_SLACK;

const lookAt = (
  {
    attributes,
    cpu,
    memory,
  }: {
    readonly attributes?: { readonly metadata?: { readonly name: string } | undefined } | undefined;
    readonly cpu?: ContainerStats['cpu'];
    readonly memory?: ContainerStats['memory'];
  },
  { callLine, replyLine }: AnsweredCall,
): Look => ({
  name: attributes?.metadata?.name ?? '',
  cpu: cpu?.usageCoreNanoSeconds?.value,
  memory: memory?.workingSetBytes?.value,
  callLine,
  replyLine,
});

/** The stats of containers that a reply has outside the stats of their pods. */
function containersIn({ method, reply, isOk }: AnsweredCall): readonly ContainerStats[] {
  if (!isOk || reply.message === undefined) return [];
  if (method === 'ListContainerStats') return reply.message.value<ListContainerStatsResponse>().stats;
  if (method !== 'ContainerStats') return [];
  const { stats } = reply.message.value<ContainerStatsResponse>();
  return stats === undefined ? [] : [stats];
}

/** The stats of pods that a reply has. */
export function podsIn({ method, reply, isOk }: AnsweredCall): readonly PodSandboxStats[] {
  if (!isOk || reply.message === undefined) return [];
  if (method === 'ListPodSandboxStats') return reply.message.value<ListPodSandboxStatsResponse>().stats;
  if (method !== 'PodSandboxStats') return [];
  const { stats } = reply.message.value<PodSandboxStatsResponse>();
  return stats === undefined ? [] : [stats];
}
