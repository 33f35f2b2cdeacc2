import type { Pod } from '../../../src/kubelet/kubernetes/pod.js';
import type { PodSource } from '../../../src/kubelet/pod-ports.js';

/** A pod source for tests: `initial` pods first, then the `deliver`ed ones. */
export function podsByHand(initial: readonly Pod[]): {
  readonly podSource: PodSource;
  readonly deliver: (pods: readonly Pod[]) => void;
} {
  let accept: (pods: readonly Pod[]) => void = () => {};
  const start = (given: (pods: readonly Pod[]) => void) => {
    accept = given;
    accept(initial);
    return () => {};
  };
  return { podSource: { start }, deliver: (pods) => accept(pods) };
}
