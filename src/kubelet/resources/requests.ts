import { memoryBytes, milliCpu } from '../../base/input/quantity.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';

/** Amounts by resource, in millicores for CPU and in whole units otherwise. */
export type Amounts = ReadonlyMap<string, number>;

export function amountsOf(list: Readonly<Record<string, string>>): Amounts {
  return new Map(
    Object.entries(list).map(([name, quantity]) => [
      name,
      name === 'cpu' ? (milliCpu(quantity) ?? 0) : Number(memoryBytes(quantity) ?? 0n),
    ]),
  );
}

/**
 * PodRequests (component-helpers resource/helpers.go): the sum of containers and sidecars, or the need of an init
 * container with the sidecars before it, whichever is larger.
 */
export const podRequests = (pod: Pod): Amounts => amountsOfPod(pod, requestsOf);

/** PodLimits, as `podRequests`. */
export const podLimits = (pod: Pod): Amounts =>
  amountsOfPod(pod, ({ resources }) => amountsOf(resources.limits));

function amountsOfPod({ spec }: Pod, of: (container: ContainerSpec) => Amounts): Amounts {
  let sidecars: Amounts = new Map();
  let peak: Amounts = new Map();
  for (const container of spec.initContainers) {
    const own = of(container);
    if (container.restartPolicy === 'Always') {
      sidecars = combine(sidecars, own, add);
      peak = combine(peak, sidecars, Math.max);
    } else peak = combine(peak, combine(sidecars, own, add), Math.max);
  }
  const running = spec.containers.reduce((sum, each) => combine(sum, of(each), add), sidecars);
  return combine(running, peak, Math.max);
}

export const sumOfRequests = (pods: readonly Pod[]): Amounts =>
  pods.reduce((sum: Amounts, pod) => combine(sum, podRequests(pod), add), new Map());

/** Compares only CPU and memory. */
export const exceeds = (a: Amounts, b: Amounts): boolean =>
  ['cpu', 'memory'].some((name) => (a.get(name) ?? 0) > (b.get(name) ?? 0));

const requestsOf = ({ resources }: ContainerSpec): Amounts => amountsOf(resources.requests);
const add = (a: number, b: number): number => a + b;

function combine(a: Amounts, b: Amounts, how: (x: number, y: number) => number): Amounts {
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map([...names].map((name) => [name, how(a.get(name) ?? 0, b.get(name) ?? 0)]));
}
