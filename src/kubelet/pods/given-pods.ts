import type { Pod } from '../kubernetes/pod.js';
import type { PodSource } from '../pod-ports.js';

export interface GivenPods extends PodSource {
  /** All wanted pods; missing ones are stopped. */
  readonly all: readonly Pod[];
  set(pods: readonly Pod[]): void;
}

export function createGivenPods(): GivenPods {
  let pods: readonly Pod[] = [];
  let deliver: ((pods: readonly Pod[]) => void) | undefined;
  return {
    get all() {
      return pods;
    },
    set: (wanted) => {
      pods = wanted;
      deliver?.(wanted);
    },
    start: (receiver) => {
      deliver = receiver;
      receiver(pods);
      // A source that ended late must not remove the pods of the next one.
      return () => {
        if (deliver === receiver) deliver = undefined;
      };
    },
  };
}
