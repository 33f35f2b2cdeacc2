import type { WriteStream } from 'node:tty';
import type { Clock } from '../../clock/clock.js';
import type { Progress } from '../../explore/explore.js';
import { clearedLine } from '../../markup/terminal.js';

/** How often a line is written where there is no terminal, and the state to the disk, in ms. */
const SELDOM = 10_000;

/** Shows how far an exploration is: in one line of a terminal, or in a line from time to time. */
export function createProgress(stream: WriteStream, clock: Clock) {
  let shownAt = clock.elapsed();
  let keptAt = clock.elapsed();
  let latest: (() => Promise<void>) | undefined;
  let writing: Promise<void> = Promise.resolve();
  return {
    /** `keep` writes the state to the disk; it is called from time to time. */
    show: (progress: Progress, version: string | undefined, keep: () => Promise<void>): void => {
      latest = keep;
      const now = clock.elapsed();
      if (now - keptAt > SELDOM) {
        keptAt = now;
        writing = writing.then(keep);
      }
      const text = lineOf(progress, version);
      if (stream.isTTY) stream.write(`${clearedLine()}${text}`);
      else if (now - shownAt > SELDOM) {
        shownAt = now;
        stream.write(`${text}\n`);
      }
    },
    /** Shows how far something else is. */
    note: (text: string): void => {
      stream.write(stream.isTTY ? `${clearedLine()}${text}` : `${text}\n`);
    },
    /** Clears the line and writes the last state. */
    end: async (): Promise<void> => {
      if (stream.isTTY) stream.write(clearedLine());
      await writing;
      await latest?.();
    },
  };
}

function lineOf(
  { schedules, perSecond, coverage, findings, reduced }: Progress,
  version: string | undefined,
): string {
  const kubelet = version === undefined ? '' : `kubelet ${version}: `;
  const what = reduced === undefined ? '' : `, ${reduced} of them reduced`;
  return `${kubelet}${schedules} schedules, ${perSecond.toFixed(1)} a second, ${coverage} states, ${findings} kinds of findings${what}`;
}
