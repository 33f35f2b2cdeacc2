import { MOST_WAITING } from './limits.js';

export interface MessageQueue<T> extends AsyncIterable<T> {
  /** False if too many wait, or the queue has ended. */
  push(message: T): boolean;
  /** Adds nothing more; after the remaining messages, the reader gets the error or the end. */
  end(error?: Error): void;
}

/** For one reader. */
export function createQueue<T>(): MessageQueue<T> {
  const waiting: T[] = [];
  let over: { readonly error?: Error | undefined } | undefined;
  let wake = () => {};
  return {
    push: (message) => {
      if (over !== undefined || waiting.length >= MOST_WAITING) return false;
      waiting.push(message);
      wake();
      return true;
    },
    end: (error) => {
      over ??= { error };
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const message = waiting.shift();
        if (message !== undefined) yield message;
        else if (over?.error !== undefined) throw over.error;
        else if (over !== undefined) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
