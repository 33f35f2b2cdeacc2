import type { Pod } from '../kubernetes/pod.js';
import type { PodSource } from '../pod-ports.js';

/** A source of pods that a program sets as a whole. */
export interface GivenPods extends PodSource {
  /** All wanted pods; those that are missing get stopped. */
  readonly all: readonly Pod[];
  set(pods: readonly Pod[]): void;
}

/** Makes a source of pods that a program sets. */
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
      // A source that ended late must not take the pods from the next one.
      return () => {
        if (deliver === receiver) deliver = undefined;
      };
    },
  };
}
