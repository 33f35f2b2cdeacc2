/** Concurrent requests to Docker, which fails under thousands. */
const AT_ONCE = 8;

export async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
