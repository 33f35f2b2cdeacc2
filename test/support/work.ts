import { Session } from 'node:inspector/promises';

/**
 * Counts the executed blocks of this project's code: a measure of work that is the same on every machine. Only counts
 * code that is loaded later.
 */
export async function countWork() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const take = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => /\/(src|adapters)\//.test(url) && !url.includes('/node_modules/'))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
      .reduce((sum, count) => sum + count, 0);
  };
  return {
    /** Counts the blocks that run until `run` is done. Nothing else may run meanwhile. */
    of: async (run: () => Promise<unknown>): Promise<number> => {
      await take();
      await run();
      return take();
    },
    stop: async (): Promise<void> => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
