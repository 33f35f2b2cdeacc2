import type { Clock } from '../../clock/clock.js';
import { counted } from '../../input/counted.js';
import type { ReproduceProgress } from '../../reproduce/reproduce.js';
import { causeKey } from '../../reproduce/search/cause-key.js';
import { createProgressLine, type ProgressStream } from '../progress-line.js';

/** How often a line is written where there is no terminal, and the state to the disk, in ms. */
const SELDOM = 10_000;

/** Shows how far a search is, with the best so far. */
export function createSearchProgress(stream: ProgressStream, clock: Clock) {
  const line = createProgressLine(stream, clock, { every: 200, elsewhere: SELDOM });
  let keptAt = clock.elapsed();
  let latest: (() => Promise<void>) | undefined;
  let writing: Promise<void> = Promise.resolve();
  return {
    /** `keep` writes the state to the disk; it is called from time to time. */
    show: ({ runs, best }: ReproduceProgress, keep: () => Promise<void>): void => {
      latest = keep;
      const text =
        best === undefined
          ? ''
          : `, best ${best.score.toFixed(2)}: ${causeKey(best.trial.schedule) || 'no fault'}`;
      line.show(`${counted(runs, 'run')}${text}`);
      if (clock.elapsed() - keptAt < SELDOM) return;
      keptAt = clock.elapsed();
      writing = writing.then(keep);
    },
    end: async (): Promise<void> => {
      line.clear();
      await writing;
      await latest?.();
    },
  };
}
