import type { Clock } from './clock.js';
import { PromiseContext } from './promise-context.js';
import type { Release } from './release.js';

interface Task {
  readonly owner: object;
  waiting: number;
  /** The task has ended; a wait that it abandoned may outlast it. */
  ended: boolean;
  readonly outer: Task | undefined;
}

/**
 * One for all clocks: each additional context slows down every promise of the process, even after its clock is gone.
 */
const tasks = new PromiseContext<Task>();

function taskOf(owner: object): Task | undefined {
  let task = tasks.get();
  while (task !== undefined && task.owner !== owner) task = task.outer;
  return task;
}

export interface Activity extends Pick<Clock, 'hold' | 'run' | 'idle'> {
  readonly isActive: boolean;
  /** Marks the current task as waiting; the returned function marks it as running again. */
  pause(): Release;
  /** Resolves when all activity has ended; one caller at a time. */
  ended(): Promise<void>;
  /** Rejects the promise of `ended`. */
  giveUp(error: Error): void;
}

/** Activity of one clock: its tasks while they do not wait, and its holds. */
export function createActivity(): Activity {
  const owner = {};
  let active = 0;
  let wake: (() => void) | undefined;
  let fail: ((error: Error) => void) | undefined;

  const leave = () => {
    if (--active === 0) wake?.();
  };

  const hold = (): Release => {
    active++;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      leave();
    };
  };

  const run = async <T>(task: () => Promise<T>): Promise<T> => {
    active++;
    const current = tasks.get();
    const outer = current?.owner === owner ? current.outer : current;
    const made: Task = { owner, waiting: 0, ended: false, outer };
    try {
      return await tasks.run(made, task);
    } finally {
      made.ended = true;
      // A task that ended while an abandoned wait continues has left already.
      if (made.waiting === 0) leave();
    }
  };

  const pause = (): Release => {
    const task = taskOf(owner);
    // Work that outlives its task does not hold the clock.
    if (task === undefined || task.ended) return () => {};
    if (task.waiting++ === 0) leave();
    return () => {
      if (--task.waiting === 0 && !task.ended) active++;
    };
  };

  const idle = async <T>(wait: Promise<T>): Promise<T> => {
    const resume = pause();
    try {
      return await wait;
    } finally {
      resume();
    }
  };

  return {
    get isActive() {
      return active > 0;
    },
    hold,
    run,
    pause,
    idle,
    ended: async () => {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        fail = reject;
      });
      wake = undefined;
    },
    giveUp: (error) => fail?.(error),
  };
}
