import type { PodUse, Usage } from './usage.js';

/** What kubelet, runtime and system of a simulated machine use: a fiftieth of a core, and 150 MiB. */
const OWN_NANO_CORES = 20_000_000n;
const OWN_MEMORY = 150n * 1024n * 1024n;
const SECOND = 1_000_000_000n;

/** Adds up what a node uses. Its processor time never falls, whatever pods end or start again. */
export type NodeCounter = (pods: readonly PodUse[], now: bigint) => Usage;

/** Counts from the first call on. */
export function createNodeCounter(): NodeCounter {
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

/** A pod whose containers were started again counts from 0. */
const grown = (now: bigint, before = 0n): bigint => (now >= before ? now - before : now);
