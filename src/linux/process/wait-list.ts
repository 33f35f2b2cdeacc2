import type { Clock } from '../../base/clock/clock.js';

export class WaitList {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits without counting as activity; rejects with the signal's reason when it aborts. */
  wait(signal: AbortSignal | undefined): Promise<void> {
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    return this.#clock.idle(unlessAborted(woken, signal)).finally(() => this.#waiting.delete(wake));
  }

  wakeAll(): void {
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of woken) wake();
  }
}

/** Like `promise`, but rejects with the signal's reason as soon as it aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const settled = () => signal.removeEventListener('abort', abort);
    promise.then(resolve, reject).finally(settled);
  });
}
