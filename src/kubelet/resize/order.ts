import type { Pod } from '../kubernetes/pod.js';
import { qosClass } from '../kubernetes/qos-class.js';
import { exceeds, podRequests } from '../resources/requests.js';
import type { Allocations } from './allocations.js';
import type { ResizeConditions } from './resize-conditions.js';

/** sortPendingResizes: pods that don't grow, then by priority, guaranteed pods, longest waiting. Returns uids. */
export function inTurn(
  pods: readonly Pod[],
  allocations: Allocations,
  conditions: ResizeConditions,
): string[] {
  const ranked = pods.map((pod) => ({
    uid: pod.metadata.uid,
    ranks: [
      exceeds(podRequests(pod), podRequests(allocations.of(pod))) ? 1 : 0,
      -(pod.spec.priority ?? 0),
      qosClass(pod) === 'Guaranteed' ? 0 : 1,
      Number(conditions.pending(pod.metadata.uid)?.lastTransitionTime ?? Number.POSITIVE_INFINITY),
    ],
  }));
  ranked.sort((a, b) => {
    const index = a.ranks.findIndex((rank, at) => rank !== b.ranks[at]);
    return index < 0 ? 0 : (a.ranks[index] ?? 0) - (b.ranks[index] ?? 0);
  });
  return ranked.map(({ uid }) => uid);
}
