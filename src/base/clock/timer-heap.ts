import type { Timer } from './clock.js';

interface PendingTimer {
  readonly at: bigint;
  readonly order: number;
  readonly fire: () => void | Promise<void>;
  /** Index in the heap; -1 if not pending. */
  index: number;
}

/** Binary heap by time, then by order of creation. Most timers are deadlines, removed long before they expire. */
export class TimerHeap {
  readonly #items: PendingTimer[] = [];
  #order = 0;

  add(at: bigint, fire: PendingTimer['fire']): Timer {
    const timer: PendingTimer = { at, order: this.#order++, fire, index: -1 };
    this.#rise(timer, this.#items.length);
    return { cancel: () => this.#remove(timer) };
  }

  /** Removes and returns the first timer if its time is `target` or earlier. */
  popDue(target: bigint): Pick<PendingTimer, 'at' | 'fire'> | undefined {
    const first = this.#items[0];
    if (first === undefined || first.at > target) return undefined;
    this.#remove(first);
    return first;
  }

  /** The last instant before the first timer, or `target` if that is earlier. */
  before(target: bigint): bigint {
    const first = this.#items[0];
    return first === undefined || first.at > target ? target : first.at - 1n;
  }

  #remove(timer: PendingTimer): void {
    const { index } = timer;
    if (index < 0) return;
    timer.index = -1;
    const last = this.#items.pop() as PendingTimer;
    if (last === timer) return;
    this.#sink(last, index);
    if (last.index === index) this.#rise(last, index);
  }

  #rise(timer: PendingTimer, from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(timer, this.#items[parent] as PendingTimer)) break;
      this.#place(this.#items[parent] as PendingTimer, index);
      index = parent;
    }
    this.#place(timer, index);
  }

  #sink(timer: PendingTimer, from: number): void {
    const items = this.#items;
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      const right = child + 1;
      if (right < items.length && isBefore(items[right] as PendingTimer, items[child] as PendingTimer))
        child = right;
      if (!isBefore(items[child] as PendingTimer, timer)) break;
      this.#place(items[child] as PendingTimer, index);
      index = child;
    }
    this.#place(timer, index);
  }

  #place(timer: PendingTimer, index: number): void {
    this.#items[index] = timer;
    timer.index = index;
  }
}

function isBefore(a: PendingTimer, b: PendingTimer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
