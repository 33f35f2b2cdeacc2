import type { Clock, Timer } from '../../clock/clock.js';
import type { EventChannel } from '../pleg/channel.js';
import type { Pod, PodLifecycleEvent, ProbeUpdate } from '../types.js';
import type { WorkQueue } from './work-queue.js';

const SYNC_TICK = 1_000_000_000n;
const HOUSEKEEPING_PERIOD = 2000;
/** Waiting while the runtime is unfit: doubles from the first to the last (ms). */
const FIRST_PAUSE = 100;
const LAST_PAUSE = 5000;

/** What the loop does with what comes in. */
export interface LoopHandlers {
  configChanged(pods: readonly Pod[]): void;
  podEvent(event: PodLifecycleEvent): void;
  /** Pods whose time in the work queue has come. */
  workDue(uids: readonly string[]): void;
  probeUpdate(update: ProbeUpdate): void;
  /** Nothing else is ready: what was woken may work now. */
  drained(): void;
  housekeeping(): Promise<void>;
}

/** What the loop listens to. While there are `runtimeErrors` it only waits (kubelet.go syncLoop). */
export interface SyncLoopOptions {
  readonly clock: Clock;
  readonly channel: EventChannel;
  readonly queue: WorkQueue;
  readonly runtimeErrors: () => readonly string[];
  readonly handlers: LoopHandlers;
  readonly log: (message: string) => void;
}

/** The sync loop as those see it who have something for it. */
export interface SyncLoop {
  start(): void;
  stop(): void;
  /** The pods that are wanted now. */
  config(pods: readonly Pod[]): void;
  /** A probe's result changed. */
  probe(update: ProbeUpdate): void;
  /** Something in the channel or the queue changed. */
  wake(): void;
  /** A pod's next sync is due at another time than before. */
  workChanged(): void;
  /** When the loop last turned, in ms of the clock's `elapsed`; a pause is no turn. Undefined before the first. */
  readonly lastTurn: number | undefined;
}

/**
 * syncLoop (kubelet.go). Where Go picks at random among what is ready, this takes pods first, then PLEG
 * events, work, probe results and housekeeping, so that a run can be repeated. The one-second ticker rings only when
 * work is due at that tick.
 */
export function createSyncLoop(options: SyncLoopOptions): SyncLoop {
  const { clock, channel, queue, runtimeErrors, handlers, log } = options;
  const probes: ProbeUpdate[] = [];
  let wanted: readonly Pod[] | undefined;
  let ticked = false;
  let housekeeping = false;
  let configured = false;
  let stopped = true;
  let begun = 0n;
  let lastTurn: number | undefined;
  let tick: { at: bigint; timer: Timer } | undefined;
  let awaken = () => {};

  /** Something came in since the loop last looked. */
  let stirred = false;

  const wake = () => {
    stirred = true;
    awaken();
  };

  const armTick = (): void => {
    const due = queue.next();
    if (stopped || ticked || due === undefined) return;
    const now = clock.now();
    const afterDue = due > now ? due - now : 0n;
    const at = begun + ((now + afterDue - begun) / SYNC_TICK + 1n) * SYNC_TICK;
    if (tick !== undefined && tick.at <= at) return;
    tick?.timer.cancel();
    const timer = clock.setTimer(Number(at - now) / 1e6, () => {
      tick = undefined;
      ticked = true;
      wake();
    });
    tick = { at, timer };
  };

  const armHousekeeping = (): void => {
    clock.setTimer(HOUSEKEEPING_PERIOD, () => {
      if (stopped) return;
      housekeeping = true;
      wake();
      armHousekeeping();
    });
  };

  /** Handles one thing; false when there was nothing. */
  const turn = async (): Promise<boolean> => {
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
    if (ticked) {
      ticked = false;
      const uids = queue.take();
      if (uids.length > 0) handlers.workDue(uids);
      armTick();
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
  };

  const run = async (): Promise<void> => {
    let pause = FIRST_PAUSE;
    while (!stopped) {
      const errors = runtimeErrors();
      if (errors.length > 0) {
        handlers.drained();
        log(`Skipping pod synchronization: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`);
        await clock.sleep(pause);
        pause = Math.min(pause * 2, LAST_PAUSE);
        continue;
      }
      pause = FIRST_PAUSE;
      stirred = false;
      lastTurn = clock.elapsed();
      const hasTurned = await turn();
      lastTurn = clock.elapsed();
      if (hasTurned || stirred) continue;
      await clock.idle(
        new Promise<void>((resolve) => {
          awaken = resolve;
        }),
      );
    }
  };

  return {
    start: () => {
      stopped = false;
      begun = clock.now();
      armHousekeeping();
      armTick();
      void clock.run(run);
    },
    stop: () => {
      stopped = true;
      tick?.timer.cancel();
      wake();
    },
    config: (pods) => {
      wanted = pods;
      wake();
    },
    probe: (update) => {
      probes.push(update);
      wake();
    },
    wake,
    workChanged: armTick,
    get lastTurn() {
      return lastTurn;
    },
  };
}
