import type { Clock } from '../../../base/clock/clock.js';
import { CriError } from '../../../cri/errors.js';

type Turn = () => void;

/** Runs the operations on one pod one after the other, in order of arrival; different pods run in parallel. */
export interface PodQueue {
  /** Rejects with `cancelled` when the signal aborts before the operation starts, which then never does. */
  run<T>(sandboxId: string, signal: AbortSignal, operation: () => Promise<T>): Promise<T>;
}

/** Waiting in the queue does not hold up virtual time. */
export function createPodQueue(clock: Clock): PodQueue {
  const busy = new Map<string, Set<Turn>>();

  const enter = (sandboxId: string, signal: AbortSignal): Promise<void> | undefined => {
    if (signal.aborted) throw cancelled();
    const waiting = busy.get(sandboxId);
    if (waiting === undefined) {
      busy.set(sandboxId, new Set());
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(turn);
        reject(cancelled());
      };
      waiting.add(turn);
      signal.addEventListener('abort', leave, { once: true });
    });
  };

  const leave = (sandboxId: string) => {
    const waiting = busy.get(sandboxId) as Set<Turn>;
    for (const turn of waiting) {
      waiting.delete(turn);
      return turn();
    }
    busy.delete(sandboxId);
  };

  return {
    run: async (sandboxId, signal, operation) => {
      const turn = enter(sandboxId, signal);
      if (turn !== undefined) await clock.idle(turn);
      try {
        return await operation();
      } finally {
        leave(sandboxId);
      }
    },
  };
}

function cancelled(): CriError {
  return new CriError('cancelled', 'the call was cancelled before its turn; nothing was changed');
}
