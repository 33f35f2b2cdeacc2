import type { Entry } from './entries.js';
import { contentSize } from './size.js';

/** Entries that wait to be written. */
export interface Backlog {
  /** An entry beyond what may wait is lost; a gap before the next one says so. */
  add(entry: Entry): void;
  /** All that wait, in order. They take memory until each is `done`. */
  take(): Entry[];
  done(entry: Entry): void;
  /** Forgets all that wait. */
  clear(): void;
  readonly isEmpty: boolean;
  /** Whether calls have to wait. */
  readonly isFull: boolean;
  /** Entries that were added so far, without the lost ones. */
  readonly count: number;
}

/** Bytes of entries that may wait before calls wait, too. */
const FULL = 32 * 1024 * 1024;
/** Entries and bytes beyond which entries are lost: what isn't a call can't wait. */
const OVERFULL = 4 * FULL;
/** Size of an entry without its content, in bytes. */
const ENTRY = 300;

/** Nothing waits yet. */
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

/** About what an entry takes in memory. */
const sizeOf = (entry: Entry): number => ENTRY + contentSize(entry);
