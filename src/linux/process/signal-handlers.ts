import type { SignalName } from './process.js';

export type SignalHandler = (() => void) | 'ignore';

/** The signals that a process catches or ignores (signal(7)). */
export class SignalHandlers {
  readonly #handlers = new Map<SignalName, SignalHandler>();

  /** `ignored` by the parent, or by the previous program. */
  constructor(ignored: readonly SignalName[] = []) {
    for (const signal of ignored) this.#handlers.set(signal, 'ignore');
  }

  /** Undefined for the kernel's default. KILL and STOP can't be caught. */
  get(signal: SignalName): SignalHandler | undefined {
    return signal === 'KILL' || signal === 'STOP' ? undefined : this.#handlers.get(signal);
  }

  set(signal: SignalName, handler: SignalHandler | undefined): void {
    if (handler === undefined) this.#handlers.delete(signal);
    else this.#handlers.set(signal, handler);
  }

  get ignored(): readonly SignalName[] {
    return [...this.#handlers].filter(([, handler]) => handler === 'ignore').map(([signal]) => signal);
  }
}
