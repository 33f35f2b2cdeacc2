import type { Clock, Timer } from '../../base/clock/clock.js';

/** What a request is for; `first` is for what everything else waits for. */
export const priorities = ['first', 'heartbeat', 'normal', 'event'] as const;

/** One of `priorities`. */
export type Priority = (typeof priorities)[number];

/** How many requests a process sends. */
export interface PaceLimits {
  /** Requests a second, on average. */
  readonly qps: number;
  /** Requests that may go at once after a pause. */
  readonly burst: number;
  /** Requests under way at a time. */
  readonly inFlight: number;
}

/** Lets requests go at a rate; all of a process go through one. */
export interface Pace {
  /** Runs the task when it is its turn. */
  run<T>(priority: Priority, task: () => Promise<T>): Promise<T>;
  /** The server does not answer: holds back everything but one attempt at a time, less and less often. */
  away(): void;
  /** The server has answered: lets requests go again. */
  back(): void;
  /** How many wait. */
  readonly waiting: number;
  /** Those that wait reject with this reason. */
  close(reason: Error): void;
}

/** Pause in ms after the first failure; it doubles up to the last. */
const FIRST_PAUSE = 250;
const LAST_PAUSE = 10_000;

/**
 * Who goes first in which turn when not all can go. Heartbeats have most turns, else the control plane takes the nodes
 * for dead, which makes more work for all. They must not keep the others from a slow server altogether.
 */
const TURNS = shares({ heartbeat: 12, normal: 3, event: 1 });

/** One order for each of 16 turns: the owner of the turn, then the others as they are written. */
function shares(turns: Readonly<Partial<Record<Priority, number>>>): readonly (readonly Priority[])[] {
  const all = Object.keys(turns) as Priority[];
  return all.flatMap((own) =>
    Array.from(
      { length: turns[own] ?? 0 },
      () => ['first', own, ...all.filter((each) => each !== own)] as const,
    ),
  );
}

interface Waiting {
  readonly begin: () => void;
  readonly reject: (reason: Error) => void;
}

/** A token bucket (client-go util/flowcontrol) in front of one queue for each priority. */
export function createPace(clock: Clock, { qps, burst, inFlight }: PaceLimits): Pace {
  const queues: Record<Priority, Waiting[]> = { first: [], heartbeat: [], normal: [], event: [] };
  let tokens = burst;
  let filled = clock.elapsed();
  let underWay = 0;
  let turns = 0;
  let pause = 0;
  let heldUntil = 0;
  let timer: Timer | undefined;

  const next = (): Waiting | undefined => {
    // Steps of 7 spread the turns of each over the 16.
    turns = (turns + 7) % TURNS.length;
    const priority = TURNS[turns]?.find((each) => queues[each].length > 0);
    return priority && queues[priority].shift();
  };

  const isEmpty = (): boolean => priorities.every((priority) => queues[priority].length === 0);

  const later = (delay: number): void => {
    timer ??= clock.setTimer(delay, () => {
      timer = undefined;
      go();
    });
  };

  const go = (): void => {
    const now = clock.elapsed();
    tokens = Math.min(burst, tokens + ((now - filled) / 1000) * qps);
    filled = now;
    if (isEmpty()) return;
    if (now < heldUntil) {
      later(heldUntil - now);
      return;
    }
    // While the server is away one request tries whether it is back.
    const most = pause > 0 ? 1 : inFlight;
    while (underWay < most && tokens >= 1) {
      const first = next();
      if (first === undefined) return;
      tokens--;
      underWay++;
      first.begin();
    }
    if (underWay < most && !isEmpty()) later(((1 - tokens) / qps) * 1000);
  };

  return {
    run: (priority, task) =>
      new Promise((resolve, reject) => {
        const begin = () => {
          task()
            .then(resolve, reject)
            .finally(() => {
              underWay--;
              go();
            });
        };
        queues[priority].push({ begin, reject });
        go();
      }),
    away: () => {
      if (clock.elapsed() < heldUntil) return;
      pause = Math.min(LAST_PAUSE, Math.max(FIRST_PAUSE, pause * 2));
      heldUntil = clock.elapsed() + pause;
    },
    back: () => {
      if (pause === 0) return;
      pause = 0;
      heldUntil = 0;
      timer?.cancel();
      timer = undefined;
      go();
    },
    close: (reason) => {
      timer?.cancel();
      for (let first = next(); first !== undefined; first = next()) first.reject(reason);
    },
    get waiting() {
      return priorities.reduce((sum, priority) => sum + queues[priority].length, 0);
    },
  };
}
