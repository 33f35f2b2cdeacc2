import { promiseHooks } from 'node:v8';

/**
 * A value that follows a task across `await`, like `AsyncLocalStorage`, but only through promises: callbacks of timers,
 * ticks and emitters lose it. On Node 20 `AsyncLocalStorage` also follows every tick, stream and socket of the process,
 * which costs a tenth of the time of a simulation over a socket.
 */
export class PromiseContext<T extends object> {
  readonly #key = Symbol('context');
  #present: T | undefined;
  #isFollowed = false;

  /** The value that the current code was started with; undefined outside `run`. */
  get(): T | undefined {
    return this.#present;
  }

  run<R>(value: T, work: () => R): R {
    if (!this.#isFollowed) this.#follow();
    const before = this.#present;
    this.#present = value;
    try {
      return work();
    } finally {
      this.#present = before;
    }
  }

  /** Enabled on first use: a process that never uses it pays nothing. */
  #follow(): void {
    this.#isFollowed = true;
    const key = this.#key;
    const of = (promise: object) => promise as Record<symbol, T | undefined>;
    promiseHooks.createHook({
      init: (promise) => {
        if (this.#present !== undefined) of(promise)[key] = this.#present;
      },
      before: (promise) => {
        this.#present = of(promise)[key];
      },
      after: () => {
        this.#present = undefined;
      },
    });
  }
}
