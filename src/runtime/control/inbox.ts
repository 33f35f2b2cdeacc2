export interface Inbox<T> {
  push(item: T): void;
  /** Removes and returns the oldest item; undefined if none waits. */
  shift(): T | undefined;
  take(): T[];
  /** Number of items that wait, and the sum of their sizes. */
  readonly length: number;
  readonly size: number;
  /** Resolves when an item waits or the reader has gone. */
  filled(): Promise<void>;
}

/** `sizeOf` is in the reader's unit; the signal aborts when the reader has gone. */
export function createInbox<T>(sizeOf: (item: T) => number, signal: AbortSignal): Inbox<T> {
  let items: T[] = [];
  let size = 0;
  let wake = () => {};
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    push: (item) => {
      items.push(item);
      size += sizeOf(item);
      wake();
    },
    shift: () => {
      const item = items.shift();
      if (item !== undefined) size -= sizeOf(item);
      return item;
    },
    take: () => {
      const taken = items;
      items = [];
      size = 0;
      return taken;
    },
    get length() {
      return items.length;
    },
    get size() {
      return size;
    },
    filled: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (items.length > 0 || signal.aborted) resolve();
      }),
  };
}
