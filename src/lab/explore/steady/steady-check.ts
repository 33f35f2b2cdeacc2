import type { NodeKubelet } from '../../../kubelet/hosts/kubelet.js';
import type { RunMonitor, Steady } from './converged.js';
import { isSamePace, WINDOW } from './pace.js';

/** How long nothing may have changed before a check, in ms: the pace is that of this time. */
const CALM = WINDOW + 1000;
/** How long a check takes, in ms: a sync comes within a second, and what it changes shows in the next relist. */
const LASTS = 3000;

/** Finds out whether anything can still happen in a run. */
export interface SteadyCheck {
  /**
   * Called after each timer. `begun` once: from here on, the check changes the run. Then `passed` when
   * the kubelet has changed nothing, or `failed`: the run is repeated without a check.
   */
  look(): 'waiting' | 'begun' | 'passed' | 'failed';
}

/**
 * Waits until a run is in the state in which the one without perturbations stays, asks as often, and nothing has changed for a
 * while after its perturbations, which are `over` at this time (ms). Then lets the kubelet do all that it does in rounds.
 */
export function createSteadyCheck(
  monitor: RunMonitor,
  to: Steady,
  over: number,
  kubelet: () => Pick<NodeKubelet, 'isIdle' | 'syncNow'> | undefined,
): SteadyCheck {
  let begunAt: number | undefined;
  let ended = false;

  const isCalm = (): boolean => {
    const since = Math.max(over, to.changedAt, monitor.changedAt);
    return (
      monitor.now() - since >= CALM &&
      monitor.isIn(to) &&
      monitor.openCalls === 0 &&
      isSamePace(monitor.pace(), to.pace)
    );
  };

  return {
    look: () => {
      const found = kubelet();
      if (begunAt === undefined) {
        if (found?.isIdle !== true || !isCalm()) return 'waiting';
        begunAt = monitor.now();
        void found.syncNow().finally(() => {
          ended = true;
        });
        return 'begun';
      }
      if (monitor.changedAt >= begunAt) return 'failed';
      if (monitor.now() - begunAt < LASTS) return 'waiting';
      return ended && found?.isIdle === true && monitor.openCalls === 0 && monitor.isIn(to)
        ? 'passed'
        : 'failed';
    },
  };
}
