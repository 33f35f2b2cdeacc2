import type { Clock } from '../../clock/clock.js';
import type { ExploreProgress } from '../../explore/explore.js';
import { counted } from '../../input/counted.js';
import { createProgressLine, type ProgressStream } from '../progress-line.js';

/** How often a line is written where there is no terminal, and the state to the disk, in ms. */
const SELDOM = 10_000;

/** Shows how far an exploration is: in one line of a terminal, or in a line from time to time. */
export function createProgress(stream: ProgressStream, clock: Clock) {
  const line = createProgressLine(stream, clock, { elsewhere: SELDOM });
  let keptAt = clock.elapsed();
  let latest: (() => Promise<void>) | undefined;
  let writing: Promise<void> = Promise.resolve();
  return {
    /** `keep` writes the state to the disk; it is called from time to time. */
    show: (progress: ExploreProgress, version: string | undefined, keep: () => Promise<void>): void => {
      latest = keep;
      if (clock.elapsed() - keptAt > SELDOM) {
        keptAt = clock.elapsed();
        writing = writing.then(keep);
      }
      line.show(lineOf(progress, version));
    },
    /** Shows how far something else is. */
    note: (text: string): void => {
      if (stream.isTTY) line.show(text);
      else stream.write(`${text}\n`);
    },
    /** Clears the line and writes the last state. */
    end: async (): Promise<void> => {
      line.clear();
      await writing;
      await latest?.();
    },
  };
}

function lineOf(
  { schedules, perSecond, coverage, findings, reduced }: ExploreProgress,
  version: string | undefined,
): string {
  const kubelet = version === undefined ? '' : `kubelet ${version}: `;
  const what = reduced === undefined ? '' : `, ${reduced} of them reduced`;
  return `${kubelet}${counted(schedules, 'schedule')}, ${perSecond.toFixed(1)} a second, ${counted(coverage, 'state')}, ${counted(findings, 'kind')} of findings${what}`;
}
