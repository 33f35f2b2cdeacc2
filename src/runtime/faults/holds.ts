import type { CallSubject } from '../../cri/subject.js';
import type { Action } from './language/actions.js';
import type { Trigger } from './language/trigger.js';

/** A call, a reply or a message that waits until somebody decides what happens to it. */
export interface Held {
  /** Counts from 1, in order of arrival. */
  readonly id: number;
  readonly rule: string;
  readonly on: Trigger;
  readonly method: string;
  readonly subject: CallSubject;
}

/** What is held, and how it is let go. */
interface Waiting {
  readonly held: Held;
  readonly decide: (action: Action | undefined) => void;
}

/** Everything that rules with the action `hold` hold at present. */
export class Holds {
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<() => void>();
  #last = 0;

  /** Shows something as held. `decide` is called at most once, unless `forget`, which is returned, was called before. */
  add(what: Omit<Held, 'id'>, decide: (action: Action | undefined) => void): () => void {
    const id = ++this.#last;
    this.#waiting.set(id, { held: { id, ...what }, decide });
    for (const listener of [...this.#listeners]) listener();
    return () => void this.#waiting.delete(id);
  }

  /** Those after `since`, oldest first. */
  list(since = 0): Held[] {
    return [...this.#waiting.values()].map(({ held }) => held).filter(({ id }) => id > since);
  }

  find(id: number): Held | undefined {
    return this.#waiting.get(id)?.held;
  }

  /** Lets one go: it continues, or what the action says happens to it. */
  decide(id: number, action: Action | undefined): void {
    const found = this.#waiting.get(id);
    this.#waiting.delete(id);
    found?.decide(action);
  }

  /** Calls back whenever something is held; returns how to stop that. */
  onHold(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
