import type { PodSource } from '../../src/kubelet/pod-source.js';
import type { Pod } from '../../src/kubelet/types.js';

/** Pods that a test gives to a kubelet, `initial` first and `deliver`ed ones in their place. */
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
