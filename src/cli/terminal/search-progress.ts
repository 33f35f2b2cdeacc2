import type { Clock } from '../../base/clock/clock.js';
import { createProgressLine, type ProgressStream } from './progress-line.js';

/** Interval in ms of lines without a terminal, and of saving the state to disk. */
const SELDOM = 10_000;

export interface SearchProgress {
  /** Shows a text; calls `keep` from time to time to save the state to disk. */
  show(text: string, keep: () => Promise<void>): void;
  note(text: string): void;
  /** Clears the line, and saves the last state unless that has been done. */
  end(): Promise<void>;
}

/** Shows texts in one line of a terminal, at most once in `every` ms, otherwise in a line from time to time. */
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
