import type { Clock } from './clock.js';
import { createVirtualClock, type VirtualClock } from './virtual-clock.js';

export interface PacedClock extends VirtualClock {
  /** It stands still from now on. */
  close(): void;
}

export interface PaceOptions {
  /** How many times as fast as real time. */
  readonly speed: number;
  readonly machine: Clock;
  /** Called when the clock has stood still for a minute, with the reason; it continues. */
  readonly stood: (error: unknown) => void;
}

/** In real ms, between two steps. */
const STEP = 10;

/** Takes a step of a clock every 10 ms of the machine's time, or as soon as the last one has ended, until the signal aborts. */
export async function keepPace(
  machine: Clock,
  signal: AbortSignal,
  step: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await step();
    await machine.sleep(STEP, signal).catch(() => {});
  }
}

/**
 * A virtual clock that follows the machine's at a multiple of its speed. However busy the machine is, nothing is late
 * in virtual time: the clock waits, and catches up. `advance` skips time, and resolves when everything in that time has
 * happened.
 */
export function createPacedClock({ speed, machine, stood }: PaceOptions): PacedClock {
  const clock = createVirtualClock({ start: machine.now() });
  const closed = new AbortController();
  const begun = machine.elapsed();
  let skipped = 0;
  let waiting: { readonly until: number; readonly resolve: () => void }[] = [];

  const target = () => skipped + speed * (machine.elapsed() - begun);
  const step = async (): Promise<void> => {
    await clock.advance(target() - clock.elapsed()).catch(stood);
    const now = clock.elapsed();
    for (const { until, resolve } of waiting) if (until <= now) resolve();
    waiting = waiting.filter(({ until }) => until > now);
  };
  void keepPace(machine, closed.signal, step);

  return {
    ...clock,
    advance: (duration) => {
      skipped += Math.max(0, duration);
      return new Promise((resolve) => waiting.push({ until: target(), resolve }));
    },
    close: () => closed.abort(),
  };
}
