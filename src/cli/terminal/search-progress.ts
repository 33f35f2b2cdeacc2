import type { Clock } from '../../base/clock/clock.js';
import { createProgressLine, type ProgressStream } from './progress-line.js';

/** How often a line is written where there is no terminal, and the state to the disk, in ms. */
const SELDOM = 10_000;

/** How far a long search is, for the user and on the disk. */
export interface SearchProgress {
  /** Shows a text; `keep` writes the state to the disk, and is called from time to time. */
  show(text: string, keep: () => Promise<void>): void;
  /** Shows how far something else is. */
  note(text: string): void;
  /** Clears the line and writes the last state, if it is not written yet. */
  end(): Promise<void>;
}

/** Shows texts in one line of a terminal, at most once in `every` ms, or in a line from time to time. */
export function createSearchProgress(stream: ProgressStream, clock: Clock, every = 0): SearchProgress {
  const line = createProgressLine(stream, clock, { every, elsewhere: SELDOM });
  let keptAt = clock.elapsed();
  let latest: (() => Promise<void>) | undefined;
  let writing: Promise<void> = Promise.resolve();
  return {
    show: (text, keep) => {
      latest = keep;
      line.show(text);
      if (clock.elapsed() - keptAt < SELDOM) return;
      keptAt = clock.elapsed();
      writing = writing.then(keep);
    },
    note: (text) => {
      if (stream.isTTY) line.show(text);
      else stream.write(`${text}\n`);
    },
    end: async () => {
      line.clear();
      await writing;
      await latest?.();
      latest = undefined;
    },
  };
}
