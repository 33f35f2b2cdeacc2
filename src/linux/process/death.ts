import { ExpectedError } from '../../base/input/expected-error.js';
import type { ExitStatus } from './process.js';

/** Ends the waits of a killed process; never shown. */
export class Killed extends ExpectedError {
  override readonly name = 'Killed';
  readonly status: ExitStatus;

  constructor(status: ExitStatus) {
    super('killed');
    this.status = status;
  }
}

/** The end of a process: a small AbortSignal, because most processes only sleep; `signal` creates a real one. */
export class Death {
  reason: Killed | undefined;
  #controller: AbortController | undefined;
  #waits: (() => void)[] | undefined;

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.reason !== undefined) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.reason !== undefined) throw this.reason;
  }

  addEventListener(_type: 'abort', wait: () => void): void {
    this.#waits = this.#waits === undefined ? [wait] : [...this.#waits, wait];
  }

  removeEventListener(_type: 'abort', wait: () => void): void {
    this.#waits = this.#waits?.filter((one) => one !== wait);
  }

  /** Only the first call counts. */
  come(status: ExitStatus): void {
    if (this.reason !== undefined) return;
    this.reason = new Killed(status);
    const waits = this.#waits ?? [];
    this.#waits = undefined;
    for (const wait of waits) wait();
    this.#controller?.abort(this.reason);
  }
}
