import type { Entry } from './entries.js';
import { contentSize } from './size.js';

export interface Backlog {
  /** Drops an entry beyond the limit; a gap before the next entry records the loss. */
  add(entry: Entry): void;
  /** All waiting entries in order. They take memory until each is `done`. */
  take(): Entry[];
  done(entry: Entry): void;
  clear(): void;
  readonly isEmpty: boolean;
  readonly isFull: boolean;
  readonly count: number;
}

/** Bytes of waiting entries above which calls wait, too. */
const FULL = 32 * 1024 * 1024;
/** Bytes of waiting entries above which entries are dropped, because only calls can wait. */
const OVERFULL = 4 * FULL;
/** Size of an entry without its content, in bytes. */
const ENTRY = 300;

export function createBacklog(): Backlog {
  let pending: Entry[] = [];
  let size = 0;
  let lost = 0;
  let count = 0;
  const push = (entry: Entry) => {
    pending.push(entry);
    size += sizeOf(entry);
    count++;
  };
  return {
    add: (entry) => {
      if (size > OVERFULL) return void lost++;
      if (lost > 0)
        push({ t: entry.t, kind: 'gap', lost, text: 'they came faster than they could be written' });
      lost = 0;
      push(entry);
    },
    take: () => {
      const all = pending;
      pending = [];
      return all;
    },
    done: (entry) => {
      size -= sizeOf(entry);
    },
    clear: () => {
      pending = [];
      size = 0;
    },
    get isEmpty() {
      return pending.length === 0;
    },
    get isFull() {
      return size > FULL;
    },
    get count() {
      return count;
    },
  };
}

const sizeOf = (entry: Entry): number => ENTRY + contentSize(entry);
