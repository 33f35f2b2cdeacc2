import type { Clock, Timer } from '../../base/clock/clock.js';
import type { Rejection } from '../admission/rejection.js';
import type { Pod } from '../kubernetes/pod.js';
import { qosClass } from '../kubernetes/qos-class.js';
import { exceeds, podRequests } from '../resources/requests.js';
import { isSameSize, resizable, sizesOf } from '../resources/sizes.js';
import type { Recorder } from '../types/ports.js';
import type { KubeletVersion } from '../types/version.js';
import type { Allocations } from './allocations.js';
import type { ResizeConditions } from './resize-conditions.js';
import { resizeMessage } from './resize-message.js';

export interface ResizesOptions {
  readonly clock: Clock;
  readonly version: KubeletVersion;
  readonly recorder: Recorder;
  readonly allocations: Allocations;
  readonly conditions: ResizeConditions;
  readonly podOf: (uid: string) => Pod | undefined;
  readonly lack: (pod: Pod) => Rejection | undefined;
  readonly sync: (pod: Pod) => void;
}

/** Requested resizes that the node has not allocated yet (allocation_manager.go). */
export interface Resizes {
  added(pods: readonly Pod[]): void;
  changed(before: Pod, pod: Pod): void;
  /** Tries all waiting resizes, because one may fit now. */
  retry(): void;
  readonly areWaiting: boolean;
  stop(): void;
}

/** Times in ms until the first retry, and between retries. */
const FIRST_RETRY = 30_000;
const RETRY = 3 * 60_000;

export function createResizes(options: ResizesOptions): Resizes {
  const { clock, version, recorder, allocations, conditions, podOf, lack, sync } = options;
  let waiting: readonly string[] = [];
  let next = clock.elapsed() + FIRST_RETRY;
  let timer: Timer | undefined;

  /** handlePodResourcesResize. Returns true if the pod was resized. */
  const resize = (pod: Pod): boolean => {
    const { uid, generation = 0 } = pod.metadata;
    if (allocations.of(pod) === pod) {
      conditions.clearPending(uid);
      return false;
    }
    const rejection = lack(pod);
    if (rejection === undefined) {
      allocations.set(pod);
      conditions.clearPending(uid);
      conditions.clearInProgress(uid);
      conditions.setInProgress(pod);
      recorder.event(pod, 'Normal', 'ResizeStarted', resizeMessage('Pod resize started', pod, generation));
      return true;
    }
    const { reason, message } = rejection;
    if (conditions.setPending(pod, reason, message)) {
      const text = resizeMessage(`Pod resize ${reason}`, pod, generation, message);
      recorder.event(pod, 'Warning', 'ResizeDeferred', text);
    }
    return false;
  };

  const push = (uid: string): void => {
    if (!waiting.includes(uid))
      waiting = inTurn([...waiting, uid].flatMap(podOfAll), allocations, conditions);
  };
  const podOfAll = (uid: string): Pod[] => {
    const pod = podOf(uid);
    return pod === undefined ? [] : [pod];
  };

  const retry = (): void => {
    next = clock.elapsed() + RETRY;
    waiting = waiting.filter((uid) => {
      const pod = podOf(uid);
      if (pod === undefined) return false;
      const before = textOf(conditions, uid);
      const isResized = resize(pod);
      if (isResized || textOf(conditions, uid) !== before) sync(pod);
      return conditions.pending(uid) !== undefined;
    });
    arm();
  };

  /** The kubelet's ticker always runs. Ticks do nothing while nothing waits. */
  const arm = (): void => {
    timer?.cancel();
    timer = undefined;
    if (waiting.length === 0) return;
    while (next <= clock.elapsed()) next += RETRY;
    timer = clock.setTimer(next - clock.elapsed(), retry);
  };

  return {
    added: (pods) => {
      if (!version.resizes) return;
      for (const pod of pods) conditions.backfill(pod);
      const wanting = pods.filter((pod) => allocations.of(pod) !== pod);
      for (const { metadata } of wanting) push(metadata.uid);
      if (wanting.length > 0) retry();
    },
    changed: (before, pod) => {
      if (!version.resizes || !asksForOther(before, pod, version)) return;
      if (allocations.of(pod) === pod) {
        conditions.clearPending(pod.metadata.uid);
        return;
      }
      push(pod.metadata.uid);
      retry();
    },
    retry: () => {
      if (waiting.length > 0) retry();
      else next = clock.elapsed() + RETRY;
    },
    get areWaiting() {
      return waiting.length > 0;
    },
    stop: () => timer?.cancel(),
  };
}

/** recordResizeOperations: only CPU and memory count. */
function asksForOther(before: Pod, pod: Pod, version: KubeletVersion): boolean {
  const after = resizable(pod, version);
  return resizable(before, version).some((old) => {
    const made = after.find(({ name }) => name === old.name);
    return made !== undefined && !isSameSize(sizesOf(made.resources), sizesOf(old.resources));
  });
}

/** Without times, to detect whether a condition changed. */
const textOf = (conditions: ResizeConditions, uid: string): string =>
  JSON.stringify(
    conditions
      .of(uid)
      .map(({ type, reason, message, observedGeneration }) => [type, reason, message, observedGeneration]),
  );

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
