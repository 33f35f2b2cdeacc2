import type { Clock } from '../../clock/clock.js';
import type { Pod, PodApiStatus, Recorder } from '../types.js';

const REASON = 'DeadlineExceeded';
const MESSAGE = 'Pod was active on the node longer than the specified deadline';

/** Whom the deadlines ask and tell. */
export interface DeadlineOptions {
  readonly clock: Clock;
  readonly recorder: Recorder;
  /** When the kubelet acknowledged the pod, Unix nanoseconds. */
  readonly startTime: (pod: Pod) => bigint | undefined;
  /** Asks for a sync at that time. */
  readonly remind: (uid: string, at: bigint) => void;
}

/** activeDeadlineSeconds (kubelet active_deadline.go): the pod fails, is stopped and not started again. */
export interface Deadlines {
  /** Has the pod synced as soon as its deadline is over, and again as long as it has not ended (ShouldSync). */
  watch(pod: Pod): void;
  /** Why the pod has to go; undefined while it may stay. Every answer that it has to is an event too. */
  evict(pod: Pod): Pick<PodApiStatus, 'reason' | 'message'> | undefined;
}

/** Deadlines count from the pod's start time without its fraction of a second; a pod that has none never ends by it. */
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
