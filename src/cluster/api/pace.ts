import type { Clock, Timer } from '../../base/clock/clock.js';

/** Purpose of a request; `first` is for requests that everything else waits for. */
export const priorities = ['first', 'heartbeat', 'normal', 'event'] as const;

export type Priority = (typeof priorities)[number];

export interface PaceLimits {
  /** Average requests per second. */
  readonly qps: number;
  /** Requests that may be sent together after a pause. */
  readonly burst: number;
  readonly inFlight: number;
}

export interface Pace {
  run<T>(priority: Priority, task: () => Promise<T>): Promise<T>;
  /** The server does not answer: allows only one attempt at a time, at increasing intervals. */
  away(): void;
  /** The server has answered: allows requests again. */
  back(): void;
  readonly waiting: number;
  close(reason: Error): void;
}

/** In ms after the first failure; doubles up to the last. */
const FIRST_PAUSE = 250;
const LAST_PAUSE = 10_000;

/**
 * Priorities in each turn. Heartbeats get most turns, otherwise the control plane considers the nodes dead, which
 * creates more work. They must not block the others on a slow server.
 */
const TURNS = shares({ heartbeat: 12, normal: 3, event: 1 });

/** One order for each of 16 turns: the owner of the turn, then the others as written. */
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

/** One queue for each priority, and whose turn it is. */
function createTurns() {
  const queues: Record<Priority, Waiting[]> = { first: [], heartbeat: [], normal: [], event: [] };
  let turns = 0;
  return {
    add: (priority: Priority, request: Waiting) => queues[priority].push(request),
    next: (): Waiting | undefined => {
      // Steps of 7 spread each one's turns over the 16.
      turns = (turns + 7) % TURNS.length;
      const priority = TURNS[turns]?.find((each) => queues[each].length > 0);
      return priority && queues[priority].shift();
    },
    get size() {
      return priorities.reduce((sum, priority) => sum + queues[priority].length, 0);
    },
  };
}

/** A token bucket (client-go util/flowcontrol) in front of one queue for each priority. */
export function createPace(clock: Clock, { qps, burst, inFlight }: PaceLimits): Pace {
  const waiting = createTurns();
  let tokens = burst;
  let filled = clock.elapsed();
  let underWay = 0;
  let pause = 0;
  let heldUntil = 0;
  let timer: Timer | undefined;

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
    if (waiting.size === 0) return;
    if (now < heldUntil) {
      later(heldUntil - now);
      return;
    }
    // While the server is unreachable, sends one request at a time to probe it.
    const most = pause > 0 ? 1 : inFlight;
    while (underWay < most && tokens >= 1) {
      const first = waiting.next();
      if (first === undefined) return;
      tokens--;
      underWay++;
      first.begin();
    }
    if (underWay < most && waiting.size > 0) later(((1 - tokens) / qps) * 1000);
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
        waiting.add(priority, { begin, reject });
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
      for (let first = waiting.next(); first !== undefined; first = waiting.next()) first.reject(reason);
    },
    get waiting() {
      return waiting.size;
    },
  };
}
