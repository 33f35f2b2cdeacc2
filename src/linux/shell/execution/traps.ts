import { costOfText } from '../../process/memory.js';
import type { Process, SignalName } from '../../process/process.js';

export class Traps {
  readonly #process: Process;
  readonly #actions = new Map<string, string>();
  readonly #waiting = new Set<(signal: SignalName) => void>();
  #pending: SignalName[] = [];
  #interactive = false;

  constructor(process: Process) {
    this.#process = process;
  }

  /** Sets the commands for `EXIT` or a signal; an empty string ignores the signal. */
  set(condition: string, action: string): void {
    this.#pay(condition, action);
    this.#actions.set(condition, action);
    if (condition === 'EXIT') return;
    this.#process.onSignal(condition, action === '' ? 'ignore' : () => this.#catch(condition));
  }

  reset(condition: string): void {
    this.#pay(condition, undefined);
    this.#actions.delete(condition);
    if (condition === 'EXIT') return;
    this.#process.onSignal(condition, this.#interactive ? this.#interactiveHandler(condition) : undefined);
  }

  /** An interactive shell survives TERM and QUIT, and INT returns to its prompt; its children don't inherit this. */
  beInteractive(): void {
    this.#interactive = true;
    for (const signal of ['INT', 'TERM', 'QUIT']) this.reset(signal);
  }

  #interactiveHandler(signal: SignalName): (() => void) | undefined {
    if (signal === 'INT') return () => this.#catch(signal);
    return signal === 'TERM' || signal === 'QUIT' ? () => {} : undefined;
  }

  get(condition: string): string | undefined {
    return this.#actions.get(condition);
  }

  entries(): readonly (readonly [string, string])[] {
    return [...this.#actions];
  }

  /** Whether commands must run on a signal or at the end, so that the shell must stay. */
  get hasActions(): boolean {
    return [...this.#actions.values()].some((action) => action !== '');
  }

  /** Removes and returns a signal whose action has not run yet. */
  takePending(): SignalName | undefined {
    return this.#pending.shift();
  }

  /** Calls the listener with each trapped signal; the returned function stops that. */
  onCatch(listener: (signal: SignalName) => void): () => void {
    this.#waiting.add(listener);
    return () => this.#waiting.delete(listener);
  }

  #pay(condition: string, action: string | undefined): void {
    const [before, after] = [this.#actions.get(condition), action];
    const cost = (text: string | undefined) => (text === undefined ? 0 : costOfText(text));
    this.#process.allocate(cost(after) - cost(before));
  }

  #catch(signal: SignalName): void {
    // A pending signal is pending once (signal(7), "Standard signals do not queue").
    if (!this.#pending.includes(signal)) this.#pending.push(signal);
    for (const listener of [...this.#waiting]) listener(signal);
  }
}
