import { untilAborted } from '../../base/clock/aborted.js';
import type { Clock } from '../../base/clock/clock.js';
import { isSidecar } from '../decisions/restart.js';
import type { Pod } from '../kubernetes/pod.js';

/**
 * Termination order of a pod with sidecars (kuberuntime_termination_order.go): a sidecar waits until all regular
 * containers and the next sidecar have ended, at most for its own grace period. It does not wait for a sidecar that is
 * not running, nor for those after it.
 */
export interface TerminationOrder {
  /** Resolves with the whole seconds waited. */
  waitForTurn(name: string, grace: number): Promise<number>;
  ended(name: string): void;
}

/** `running` lists the running containers; nothing waits for others (newTerminationOrdering). */
export function createTerminationOrder(pod: Pod, running: readonly string[], clock: Clock): TerminationOrder {
  const ends = new Map<string, { promise: Promise<void>; resolve: () => void }>();
  for (const name of running) {
    let resolve = () => {};
    const promise = new Promise<void>((settle) => {
      resolve = settle;
    });
    ends.set(name, { promise, resolve });
  }
  const predecessors = predecessorsOf(pod);
  return {
    waitForTurn: async (name, grace) => {
      const before = (predecessors.get(name) ?? []).flatMap((other) => ends.get(other)?.promise ?? []);
      if (before.length === 0 || grace <= 0) return 0;
      const begun = clock.now();
      const timeout = new AbortController();
      const timer = clock.setTimer(grace * 1000, () => timeout.abort());
      await clock.idle(Promise.race([Promise.all(before), untilAborted(timeout.signal)]));
      timer.cancel();
      return Number((clock.now() - begun) / 1_000_000_000n);
    },
    ended: (name) => ends.get(name)?.resolve(),
  };
}

/** Only sidecars wait: for the regular containers and the next sidecar. */
function predecessorsOf({ spec }: Pod): Map<string, string[]> {
  const regular = spec.containers.map(({ name }) => name);
  const sidecars = spec.initContainers.filter(isSidecar).map(({ name }) => name);
  return new Map(
    sidecars.map((name, index) => [name, [...regular, ...sidecars.slice(index + 1, index + 2)]]),
  );
}
