import type { Clock } from '../../base/clock/clock.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { Recorder } from '../types/ports.js';

const REASON = 'DeadlineExceeded';
const MESSAGE = 'Pod was active on the node longer than the specified deadline';

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly recorder: Recorder;
  /** When the kubelet acknowledged the pod, in Unix nanoseconds. */
  readonly startTime: (pod: Pod) => bigint | undefined;
  readonly remind: (uid: string, at: bigint) => void;
}

/** activeDeadlineSeconds (active_deadline.go): a pod past its deadline fails, is stopped and does not restart. */
export interface Deadlines {
  /** Requests a sync when the pod's deadline expires, and again while the pod still runs (ShouldSync). */
  watch(pod: Pod): void;
  /** Why the pod must end; undefined while it may continue. Each call that returns a reason also records an event. */
  evict(pod: Pod): Pick<PodApiStatus, 'reason' | 'message'> | undefined;
}

/** Deadlines count from the pod's start time in whole seconds. A pod without a deadline is never evicted. */
export function createDeadlines({ clock, recorder, startTime, remind }: DeadlineOptions): Deadlines {
  const deadlineOf = (pod: Pod): bigint | undefined => {
    const start = startTime(pod);
    const { activeDeadlineSeconds: seconds } = pod.spec;
    if (start === undefined || seconds === undefined) return undefined;
    // The API keeps whole seconds (status_manager.go normalizeStatus).
    return (start / 1_000_000_000n + BigInt(seconds)) * 1_000_000_000n;
  };
  return {
    watch: (pod) => {
      const deadline = deadlineOf(pod);
      if (deadline !== undefined) remind(pod.metadata.uid, deadline);
    },
    evict: (pod) => {
      const deadline = deadlineOf(pod);
      if (deadline === undefined || clock.now() < deadline) return undefined;
      recorder.event(pod, 'Normal', REASON, MESSAGE);
      return { reason: REASON, message: MESSAGE };
    },
  };
}
