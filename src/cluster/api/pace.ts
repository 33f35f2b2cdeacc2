import type { Clock, Timer } from '../../clock/clock.js';

/** Which requests go first when they can't all go: heartbeats, else the control plane takes the nodes for dead. */
export const priorities = ['heartbeat', 'normal', 'event'] as const;

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
 * A server so slow that heartbeats never end must not keep everything else from it: every fourth turn is for what is
 * normal, and every sixteenth for events.
 */
const NORMAL_FIRST: readonly Priority[] = ['normal', 'event', 'heartbeat'];
const EVENTS_FIRST: readonly Priority[] = ['event', 'normal', 'heartbeat'];

interface Waiting {
  readonly begin: () => void;
  readonly reject: (reason: Error) => void;
}

/** A token bucket (client-go util/flowcontrol) in front of one queue for each priority. */
export function createPace(clock: Clock, { qps, burst, inFlight }: PaceLimits): Pace {
  const queues: Record<Priority, Waiting[]> = { heartbeat: [], normal: [], event: [] };
  let tokens = burst;
  let filled = clock.elapsed();
  let underWay = 0;
  let turns = 0;
  let pause = 0;
  let heldUntil = 0;
  let timer: Timer | undefined;

  const next = (): Waiting | undefined => {
    turns++;
    const order = turns % 16 === 0 ? EVENTS_FIRST : turns % 4 === 0 ? NORMAL_FIRST : priorities;
    const priority = order.find((each) => queues[each].length > 0);
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
