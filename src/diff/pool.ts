/** Does the work for each item, `parallel` at a time, until the signal aborts. */
export async function inParallel<T>(
  items: Iterable<T>,
  parallel: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}
