import type { Clock, Timer } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { Pod } from '../kubernetes/pod.js';
import type { EventChannel } from '../pleg/channel.js';
import type { ProbeUpdate } from '../types/ports.js';
import { type Problem, problemsText } from '../types/reports.js';
import type { PodLifecycleEvent } from '../types/runtime-status.js';
import type { WorkQueue } from './work-queue.js';

const SYNC_TICK = 1_000_000_000n;
const HOUSEKEEPING_PERIOD = 2000;
/** In ms: the pause while the runtime is not ready doubles from the first value to the last. */
const FIRST_PAUSE = 100;
const LAST_PAUSE = 5000;
/** Probability that the loop gets two probe results of one instant together. */
const TOGETHER = 0.5;

export interface LoopHandlers {
  configChanged(pods: readonly Pod[]): void;
  podEvent(event: PodLifecycleEvent): void;
  workDue(uids: readonly string[]): void;
  probeUpdate(update: ProbeUpdate): void;
  /** No other input is ready: updated workers can run now. */
  drained(): void;
  housekeeping(): Promise<void>;
}

/** While there are `runtimeErrors` the loop only waits (kubelet.go syncLoop). */
export interface SyncLoopOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly channel: EventChannel;
  readonly queue: WorkQueue;
  readonly runtimeErrors: () => readonly Problem[];
  readonly handlers: LoopHandlers;
  readonly log: (message: string) => void;
}

export interface SyncLoop {
  start(): void;
  stop(): void;
  config(pods: readonly Pod[]): void;
  probe(update: ProbeUpdate): void;
  wake(): void;
  workChanged(): void;
  /** When the last iteration happened, as the clock's `elapsed`; pauses do not count. Undefined before the first. */
  readonly lastIteration: number | undefined;
}

/**
 * syncLoop (kubelet.go). Go picks at random among ready inputs; this loop has a fixed order: pods, PLEG events, work,
 * probe results, housekeeping. Only probe results of one instant are handled in random order, together or separately.
 * The one-second ticker runs only when work is due at that tick.
 */
export function createSyncLoop(options: SyncLoopOptions): SyncLoop {
  const { clock, random, queue, runtimeErrors, handlers, log } = options;
  let stopped = true;
  let lastIteration: number | undefined;
  const results: ProbeUpdate[] = [];
  const waker = createWaker(clock);
  const { wake } = waker;
  const ticker = createTicker(clock, queue, wake);
  const inputs = createInputs(options, ticker);

  const armHousekeeping = (): void => {
    clock.setTimer(HOUSEKEEPING_PERIOD, () => {
      if (stopped) return;
      inputs.housekeeping();
      wake();
      armHousekeeping();
    });
  };

  /** Gives the loop one or more results in random order, like goroutines. The others follow once a sync has begun. */
  const takeResults = (): void => {
    do {
      const [result] = results.splice(Math.floor(random.next() * results.length), 1);
      if (result !== undefined) inputs.probe(result);
    } while (results.length > 0 && random.next() < TOGETHER);
    wake();
    if (results.length > 0) clock.setTimer(0, takeResults);
  };

  const run = async (): Promise<void> => {
    let pause = FIRST_PAUSE;
    while (!stopped) {
      const errors = runtimeErrors();
      if (errors.length > 0) {
        handlers.drained();
        log(`Skipping pod synchronization: ${problemsText(errors)}`);
        await clock.sleep(pause);
        pause = Math.min(pause * 2, LAST_PAUSE);
        continue;
      }
      pause = FIRST_PAUSE;
      waker.reset();
      lastIteration = clock.elapsed();
      const handled = await inputs.handleNext();
      lastIteration = clock.elapsed();
      if (!handled && !waker.isWoken) await waker.wait();
    }
  };

  return {
    start: () => {
      stopped = false;
      armHousekeeping();
      ticker.start();
      void clock.run(run);
    },
    stop: () => {
      stopped = true;
      ticker.stop();
      wake();
    },
    config: (pods) => {
      inputs.config(pods);
      wake();
    },
    // Results come last in this instant: a probe that is due now still sees the old status, as with goroutines.
    probe: (update) => {
      results.push(update);
      if (results.length === 1) clock.setTimer(0, takeResults);
    },
    wake,
    workChanged: ticker.arm,
    get lastIteration() {
      return lastIteration;
    },
  };
}

function createWaker(clock: Clock) {
  let isWoken = false;
  let awaken = () => {};
  return {
    wake: () => {
      isWoken = true;
      awaken();
    },
    reset: () => {
      isWoken = false;
    },
    get isWoken() {
      return isWoken;
    },
    wait: () =>
      clock.idle(
        new Promise<void>((resolve) => {
          awaken = resolve;
        }),
      ),
  };
}

function createInputs(
  { channel, queue, handlers }: SyncLoopOptions,
  ticker: ReturnType<typeof createTicker>,
) {
  const probes: ProbeUpdate[] = [];
  let wanted: readonly Pod[] | undefined;
  let housekeeping = false;
  let configured = false;
  return {
    config: (pods: readonly Pod[]) => {
      wanted = pods;
    },
    probe: (update: ProbeUpdate) => {
      probes.push(update);
    },
    housekeeping: () => {
      housekeeping = true;
    },
    /** Handles one input; returns false if none was ready. */
    handleNext: async (): Promise<boolean> => {
      if (wanted !== undefined) {
        const pods = wanted;
        wanted = undefined;
        configured = true;
        handlers.configChanged(pods);
        return true;
      }
      const event = channel.receive();
      if (event !== undefined) {
        handlers.podEvent(event);
        return true;
      }
      if (ticker.take()) {
        const uids = queue.take();
        if (uids.length > 0) handlers.workDue(uids);
        ticker.arm();
        return true;
      }
      const probe = probes.shift();
      if (probe !== undefined) {
        handlers.probeUpdate(probe);
        return true;
      }
      handlers.drained();
      if (housekeeping) {
        housekeeping = false;
        if (configured) await handlers.housekeeping();
        return true;
      }
      return false;
    },
  };
}

/** A one-second ticker that skips ticks without due work. */
function createTicker(clock: Clock, queue: WorkQueue, ticks: () => void) {
  let isRunning = false;
  let begun = 0n;
  let isPast = false;
  let next: { at: bigint; timer: Timer } | undefined;
  const arm = (): void => {
    const due = queue.next();
    if (!isRunning || isPast || due === undefined) return;
    const now = clock.now();
    const afterDue = due > now ? due - now : 0n;
    const at = begun + ((now + afterDue - begun) / SYNC_TICK + 1n) * SYNC_TICK;
    if (next !== undefined && next.at <= at) return;
    next?.timer.cancel();
    const timer = clock.setTimer(Number(at - now) / 1e6, () => {
      next = undefined;
      isPast = true;
      ticks();
    });
    next = { at, timer };
  };
  return {
    start: () => {
      isRunning = true;
      begun = clock.now();
      arm();
    },
    stop: () => {
      isRunning = false;
      next?.timer.cancel();
    },
    arm,
    take: (): boolean => {
      const was = isPast;
      isPast = false;
      return was;
    },
  };
}
