import { type Abortable, type Clock, millisToNanos, type Timer } from './clock.js';
import { createLoopback, type Loopback } from './network/loopback.js';
import { createTransit, type Transit } from './network/transit.js';
import { createWires, type Wires } from './network/wires.js';
import type { Participant } from './participant.js';
import { PromiseContext } from './promise-context.js';
import type { Release } from './release.js';
import { watchForStandstill } from './standstill.js';
import { turn } from './turn.js';

/** 2026-01-01T00:00:00Z, so that every run of a scenario prints the same dates. */
const DEFAULT_START = 1_767_225_600_000_000_000n;

const STILL = 'for a minute of real time, what is active has neither ended nor waited on the clock';

/** Event loop turns without activity after which nothing more is expected to happen at the present instant. */
const QUIET_TURNS = 2;

/**
 * A clock that moves only on request; starts at 2026-01-01T00:00:00Z by default. `advance`, `runUntil` and `settle` reject when
 * it stays at one instant for a minute of real time, because what is active neither ends nor waits on the clock.
 */
export interface VirtualClock extends Clock {
  readonly kind: 'virtual';
  readonly transit: Transit;
  readonly loopback: Loopback;
  readonly wires: Wires;
  /** A program takes part from now on, until the release. */
  join(participant: Participant): Release;
  /** Moves time forward by `duration` ms, running every timer on the way once all activity before it has ended. */
  advance(duration: number): Promise<void>;
  /** Moves time forward until `done` holds (looked at after every timer); false if `limit` ms passed before. */
  runUntil(done: () => boolean, limit: number): Promise<boolean>;
  /** Resolves once nothing is active at the present instant. */
  settle(): Promise<void>;
}

/** Whether a clock moves on request only. */
export const isVirtual = (clock: Clock): clock is VirtualClock => clock.kind === 'virtual';

interface PendingTimer {
  readonly at: bigint;
  readonly order: number;
  readonly fire: () => void | Promise<void>;
  /** Its place among those that are pending; -1 once it is none of them. */
  index: number;
}

interface Task {
  /** The clock that it runs on. */
  readonly owner: object;
  waiting: number;
  /** It is over; a wait that it gave up may outlast it. */
  ended: boolean;
  /** The task of another clock that this one was started in. */
  readonly outer: Task | undefined;
}

/** One for all clocks: each further one would make every promise of the process slower, also long after its clock. */
const tasks = new PromiseContext<Task>();

/** The innermost task of a clock that the code which calls this belongs to. */
function taskOf(owner: object): Task | undefined {
  let task = tasks.get();
  while (task !== undefined && task.owner !== owner) task = task.outer;
  return task;
}

/** A clock that stands still until it is advanced; see `Clock` for what keeps it from moving. */
export function createVirtualClock(options: { start?: bigint } = {}): VirtualClock {
  const start = options.start ?? DEFAULT_START;
  const timers = new TimerHeap();
  const wires = createWires();
  const participants = new Set<Participant>();
  const owner = {};
  let present = start;
  let order = 0;
  let active = 0;
  let wake: (() => void) | undefined;
  let fail: ((error: Error) => void) | undefined;

  const enter = () => {
    active++;
  };

  const leave = () => {
    if (--active === 0) wake?.();
  };

  const hold = (): Release => {
    enter();
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      leave();
    };
  };

  const run = async <T>(task: () => Promise<T>): Promise<T> => {
    enter();
    const current = tasks.get();
    const outer = current?.owner === owner ? current.outer : current;
    const made: Task = { owner, waiting: 0, ended: false, outer };
    try {
      return await tasks.run(made, task);
    } finally {
      made.ended = true;
      // One that ends while something it gave up still waits has left already.
      if (made.waiting === 0) leave();
    }
  };

  /** Marks the current task as waiting; the returned function marks it as running again. */
  const pause = (): Release => {
    const task = taskOf(owner);
    // What a task leaves behind does not hold the clock.
    if (task === undefined || task.ended) return () => {};
    if (task.waiting++ === 0) leave();
    return () => {
      if (--task.waiting === 0 && !task.ended) enter();
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

  const setTimer = (delay: number, callback: () => void | Promise<void>): Timer => {
    const timer: PendingTimer = {
      at: present + millisToNanos(Math.max(0, delay)),
      order: order++,
      fire: callback,
      index: -1,
    };
    timers.push(timer);
    return { cancel: () => timers.remove(timer) };
  };

  const sleep = (delay: number, signal?: Abortable): Promise<void> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const resume = pause();
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

  const allInactive = async (): Promise<void> => {
    await new Promise<void>((resolve, reject) => {
      wake = resolve;
      fail = reject;
    });
    wake = undefined;
  };

  const settleHere = async (): Promise<void> => {
    for (let quiet = 0, moved = wires.moved(); quiet < QUIET_TURNS; ) {
      if (active > 0) {
        await allInactive();
        quiet = 0;
      }
      await turn();
      const now = wires.moved();
      quiet = active > 0 || now !== moved ? 0 : quiet + 1;
      moved = now;
    }
  };

  /** Lets each program run at the present instant; false when none had anything to do. */
  const proceed = async (): Promise<boolean> => {
    let ran = false;
    for (const each of participants) if (await each.proceed(present, wires.sent)) ran = true;
    return ran;
  };

  const settle = async (): Promise<void> => {
    do await settleHere();
    while (participants.size > 0 && (await proceed()));
  };

  /** When the next program wants to run; undefined if none does by `target`. */
  const nextOfPrograms = (target: bigint): bigint | undefined => {
    let first: bigint | undefined;
    for (const { next } of participants)
      if (next !== undefined && next <= target && (first === undefined || next < first)) first = next;
    return first;
  };

  /** Moves on to the next timer due by `target`, here or of a program, once all is settled; false when there is none. */
  const step = (target: bigint): boolean => {
    const other = nextOfPrograms(target);
    const timer = timers.popDue(other ?? target);
    const at = timer?.at ?? other;
    if (at === undefined) return false;
    if (at > present) present = at;
    if (timer !== undefined) void run(async () => timer.fire());
    return true;
  };

  const runUntil = async (done: () => boolean, limit: number): Promise<boolean> => {
    const target = present + millisToNanos(limit);
    await settle();
    while (!done()) {
      if (!step(target)) {
        present = target;
        return done();
      }
      await settle();
    }
    return true;
  };

  /** Rejects when it stays at one instant for a minute of real time. */
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    const release = watchForStandstill(
      () => present,
      () =>
        fail?.(new Error(`the virtual clock stands still at ${Number(present - start) / 1e9} s: ${STILL}`)),
    );
    try {
      return await work();
    } finally {
      release();
    }
  };

  return {
    kind: 'virtual',
    transit: createTransit(hold),
    loopback: createLoopback(),
    wires,
    join: (participant) => {
      participants.add(participant);
      return () => void participants.delete(participant);
    },
    now: () => present,
    elapsed: () => Number(present - start) / 1e6,
    setTimer,
    sleep,
    run,
    hold,
    idle,
    settle: () => watched(settle),
    advance: async (duration) => {
      await watched(() => runUntil(() => false, duration));
    },
    runUntil: (done, limit) => watched(() => runUntil(done, limit)),
  };
}

/** Binary heap by time, then by order of creation. Most timers are deadlines, and are taken out long before. */
class TimerHeap {
  readonly #items: PendingTimer[] = [];

  push(timer: PendingTimer): void {
    this.#rise(timer, this.#items.length);
  }

  popDue(target: bigint): PendingTimer | undefined {
    const first = this.#items[0];
    if (first === undefined || first.at > target) return undefined;
    this.remove(first);
    return first;
  }

  /** Does nothing if it is not pending any more. */
  remove(timer: PendingTimer): void {
    const { index } = timer;
    if (index < 0) return;
    timer.index = -1;
    const last = this.#items.pop() as PendingTimer;
    if (last === timer) return;
    this.#sink(last, index);
    if (last.index === index) this.#rise(last, index);
  }

  /** Puts a timer at a free place or above it. */
  #rise(timer: PendingTimer, from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(timer, this.#items[parent] as PendingTimer)) break;
      this.#place(this.#items[parent] as PendingTimer, index);
      index = parent;
    }
    this.#place(timer, index);
  }

  /** Puts a timer at a free place or below it. */
  #sink(timer: PendingTimer, from: number): void {
    const items = this.#items;
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      const right = child + 1;
      if (right < items.length && isBefore(items[right] as PendingTimer, items[child] as PendingTimer))
        child = right;
      if (!isBefore(items[child] as PendingTimer, timer)) break;
      this.#place(items[child] as PendingTimer, index);
      index = child;
    }
    this.#place(timer, index);
  }

  #place(timer: PendingTimer, index: number): void {
    this.#items[index] = timer;
    timer.index = index;
  }
}

function isBefore(a: PendingTimer, b: PendingTimer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
