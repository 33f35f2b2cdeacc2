import type { CallSubject } from '../../cri/subject.js';
import type { Action } from './language/actions.js';
import type { Trigger } from './language/trigger.js';

/** A call, a reply or a message that waits for somebody's decision. */
export interface Held {
  /** Counts from 1, in order of arrival. */
  readonly id: number;
  readonly rule: string;
  readonly on: Trigger;
  readonly method: string;
  readonly subject: CallSubject;
}

interface Waiting {
  readonly held: Held;
  readonly decide: (action: Action | undefined) => void;
}

export class Holds {
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<() => void>();
  #last = 0;

  /** Lists a hold. Calls `decide` at most once, and never after the returned function, which forgets it. */
  add(what: Omit<Held, 'id'>, decide: (action: Action | undefined) => void): () => void {
    const id = ++this.#last;
    this.#waiting.set(id, { held: { id, ...what }, decide });
    for (const listener of [...this.#listeners]) listener();
    return () => void this.#waiting.delete(id);
  }

  /** Returns the holds after `since`, oldest first. */
  list(since = 0): Held[] {
    return [...this.#waiting.values()].map(({ held }) => held).filter(({ id }) => id > since);
  }

  find(id: number): Held | undefined {
    return this.#waiting.get(id)?.held;
  }

  /** Releases a held call; with an action, applies that action instead. */
  decide(id: number, action: Action | undefined): void {
    const found = this.#waiting.get(id);
    this.#waiting.delete(id);
    found?.decide(action);
  }

  /** Calls `listener` whenever something is held. Returns a function that unsubscribes it. */
  onHold(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
