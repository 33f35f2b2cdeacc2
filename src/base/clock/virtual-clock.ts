import { type Activity, createActivity } from './activity.js';
import { type Abortable, type Clock, millisToNanos, type Timer } from './clock.js';
import { createLoopback, type Loopback } from './network/loopback.js';
import { createTransit, type Transit } from './network/transit.js';
import { createWires, type Wires } from './network/wires.js';
import { type Participant, Participants, type Turn } from './participant.js';
import type { Release } from './release.js';
import { TimerHeap } from './timer-heap.js';
import { turn } from './turn.js';

/** Interval of checks in real ms; a clock that stands still for two gives up. A debugger's pause counts as one. */
const LOOK = 30_000;
const MOST_LOOKS = 2;
/** A clock that moves less than this between two checks stands still: reading it takes 1 ns. */
const MOVED = 1_000_000n;

/** 2026-01-01T00:00:00Z, so that every run of a scenario prints the same dates. */
const DEFAULT_START = 1_767_225_600_000_000_000n;

const STILL = 'for a minute of real time, an active task has neither ended nor waited on the clock';

/** Event loop turns without activity after which the present instant is complete. */
const QUIET_TURNS = 2;

/**
 * A clock that moves only on request; starts at 2026-01-01T00:00:00Z by default. `advance`, `runUntil` and `settle`
 * reject when it stays at one instant for a minute of real time, because some activity neither ends nor waits on the
 * clock.
 */
export interface VirtualClock extends Clock {
  readonly kind: 'virtual';
  readonly transit: Transit;
  readonly loopback: Loopback;
  readonly wires: Wires;
  join(participant: Participant): Release;
  /** Moves time forward by `duration` ms and runs every timer on the way. A negative duration counts as zero. */
  advance(duration: number): Promise<void>;
  /** Moves time forward until `done` holds (checked after every timer); false if `limit` ms pass first. */
  runUntil(done: () => boolean, limit: number): Promise<boolean>;
  /** Resolves once nothing is active at the present instant. */
  settle(): Promise<void>;
}

export const isVirtual = (clock: Clock): clock is VirtualClock => clock.kind === 'virtual';

/** A clock that stands still until it is advanced; see `Clock` for what holds it. */
export function createVirtualClock(options: { start?: bigint } = {}): VirtualClock {
  const start = options.start ?? DEFAULT_START;
  const timers = new TimerHeap();
  const wires = createWires();
  const participants = new Participants();
  const activity = createActivity();
  let present = start;

  const setTimer = (delay: number, callback: () => void | Promise<void>): Timer =>
    timers.add(present + millisToNanos(Math.max(0, delay)), callback);

  const reach = (time: bigint): void => {
    if (time > present) present = time;
  };

  const sent = () => wires.sent() + participants.acts;

  const turnUntil = (until: bigint): Turn => {
    const { acted } = participants;
    return { now: present, until, sent, acted, reach };
  };

  /** Programs continue by themselves up to `target`, or to just before the next timer; not after `done` holds. */
  const settle = async (target: bigint, done = () => false): Promise<void> => {
    do await quiet(activity, wires);
    while (
      !participants.isEmpty &&
      !done() &&
      (await participants.proceed(turnUntil, timers.before(target)))
    );
  };

  /** Moves to the next timer due by `target`, here or in a program; false if there is none. */
  const step = (target: bigint): boolean => {
    const other = participants.next(target);
    const timer = timers.popDue(other ?? target);
    const at = timer?.at ?? other;
    if (at === undefined) return false;
    reach(at);
    if (timer !== undefined) void activity.run(async () => timer.fire());
    return true;
  };

  const runUntil = async (done: () => boolean, limit: number): Promise<boolean> => {
    const target = present + millisToNanos(Math.max(0, limit));
    await settle(target, done);
    while (!done()) {
      if (!step(target)) {
        present = target;
        return done();
      }
      await settle(target, done);
    }
    return true;
  };

  /** Rejects when the clock stays at one instant for a minute of real time. */
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    const release = watchForStandstill(
      () => present,
      () => activity.giveUp(standstillAt(present - start)),
    );
    try {
      return await work();
    } finally {
      release();
    }
  };

  return {
    kind: 'virtual',
    transit: createTransit(activity.hold),
    loopback: createLoopback(),
    wires,
    join: (participant) => participants.join(participant),
    now: () => present,
    elapsed: () => Number(present - start) / 1e6,
    setTimer,
    sleep: sleepBy(setTimer, activity),
    run: activity.run,
    hold: activity.hold,
    idle: activity.idle,
    settle: () => watched(() => settle(present)),
    advance: async (duration) => {
      await watched(() => runUntil(() => false, duration));
    },
    runUntil: (done, limit) => watched(() => runUntil(done, limit)),
  };
}

/** A sleep that pauses the task around it. */
const sleepBy =
  (setTimer: Clock['setTimer'], activity: Activity) =>
  (delay: number, signal?: Abortable): Promise<void> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const resume = activity.pause();
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        signal?.removeEventListener('abort', abort);
        resume();
        settle();
      };
      const timer = setTimer(delay, () => finish(resolve));
      const abort = () => {
        timer.cancel();
        finish(() => reject(signal?.reason));
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  };

/** Resolves after `QUIET_TURNS` turns in which nothing was active and no bytes moved. */
async function quiet(activity: Activity, wires: Wires): Promise<void> {
  for (let turns = 0, moved = wires.moved(); turns < QUIET_TURNS; ) {
    if (activity.isActive) {
      await activity.ended();
      turns = 0;
    }
    await turn();
    const now = wires.moved();
    turns = activity.isActive || now !== moved ? 0 : turns + 1;
    moved = now;
  }
}

const standstillAt = (elapsed: bigint): Error =>
  new Error(`the virtual clock stands still at ${Number(elapsed / 1_000_000n) / 1000} s: ${STILL}`);

/**
 * Calls `giveUp` when `instant` has moved by less than 1 ms in two checks of 30 s real time. The remaining activity
 * continues without time, or waits for something that the clock does not know about; otherwise the process would hang,
 * or end silently.
 */
function watchForStandstill(instant: () => bigint, giveUp: () => void): Release {
  let seen = instant();
  let looks = 0;
  const timer = setInterval(() => {
    const now = instant();
    looks = now - seen < MOVED ? looks + 1 : 0;
    seen = now;
    if (looks >= MOST_LOOKS) giveUp();
  }, LOOK);
  return () => clearInterval(timer);
}
