import { MOST_STALE } from '../file/schema.js';
import type { ApiRequest } from './api-request.js';
import type { Change } from './view.js';

/** Which changes there were when, of what all proxies pass on, and as far back as a stale read can go. */
export class History {
  readonly #changes = new Map<number, Change>();
  #oldest = 0;

  /** Returns when it was sent first. */
  add(change: Change): number {
    const known = this.#changes.get(change.revision) ?? change;
    this.#changes.set(change.revision, known);
    for (const [revision, { time }] of this.#changes) {
      if (time >= change.time - MOST_STALE) break;
      this.#oldest = Math.max(this.#oldest, revision);
      this.#changes.delete(revision);
    }
    return known.time;
  }

  /** The revision at a time. What was before the start of the scenario has the time -Infinity. */
  at(time: number): number {
    const earlier = [...this.#changes.values()].filter((change) => change.time <= time);
    return earlier.reduce((most, { revision }) => Math.max(most, revision), this.#oldest);
  }

  /** The later changes of what is read. */
  since(revision: number, { resource, namespace, name }: ApiRequest): readonly Change[] {
    const isOf = (change: Change) =>
      change.resource === resource &&
      ['', change.namespace].includes(namespace) &&
      ['', change.name].includes(name);
    return [...this.#changes.values()].filter((change) => change.revision > revision && isOf(change));
  }
}
