import type { Clock } from '../../src/base/clock/clock.js';

/** Yields the messages of several streams as they arrive; ends with the last stream, and fails with the first error. */
export async function* mergeStreams<T>(
  streams: readonly AsyncIterable<T>[],
  clock: Clock,
): AsyncGenerator<T> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  const ask = (from: AsyncIterator<T>) => from.next().then((result) => ({ from, result }));
  const waiting = new Map(iterators.map((from) => [from, ask(from)]));
  try {
    while (waiting.size > 0) {
      const { from, result } = await clock.idle(Promise.race(waiting.values()));
      if (result.done) waiting.delete(from);
      else {
        waiting.set(from, ask(from));
        yield result.value;
      }
    }
  } finally {
    for (const from of waiting.keys()) void from.return?.()?.catch(() => {});
  }
}
