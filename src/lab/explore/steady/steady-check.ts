import type { NodeKubelet } from '../../../kubelet/hosts/kubelet.js';
import type { RunMonitor, Steady } from './converged.js';
import { isSamePace, WINDOW } from './pace.js';

/** Quiet time before a check in ms; the pace is measured in it. */
const CALM = WINDOW + 1000;
/** Duration of a check in ms: a sync happens within a second, and the next relist shows its changes. */
const LASTS = 3000;

export interface SteadyCheck {
  /**
   * Call it after each timer. Returns `begun` once: from then on the check changes the run. Then `passed` if the
   * kubelet changed nothing, or `failed`: repeat the run without a check.
   */
  look(): 'waiting' | 'begun' | 'passed' | 'failed';
}

/**
 * Waits until a run has the baseline's final state and pace, and nothing has changed for a while since its
 * perturbations ended at `over` (ms). Then lets the kubelet perform all its periodic work.
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
