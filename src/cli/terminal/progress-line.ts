import type { Clock } from '../../base/clock/clock.js';
import { clearedLine } from '../../base/markup/terminal.js';

/** Where progress is shown: stderr, of a command. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean };

/** How far a command is: a line that is overwritten on a terminal, or none. */
export interface ProgressLine {
  readonly show: (text: string) => void;
  readonly clear: () => void;
}

/** Shows the text at most once in `every` ms; elsewhere than on a terminal it writes a line each `elsewhere` ms, or none. */
export function createProgressLine(
  stream: ProgressStream,
  clock: Clock,
  {
    every = 0,
    elsewhere = Number.POSITIVE_INFINITY,
  }: { readonly every?: number; readonly elsewhere?: number } = {},
): ProgressLine {
  const pause = stream.isTTY ? every : elsewhere;
  let next = clock.elapsed() + (stream.isTTY ? 0 : elsewhere);
  return {
    show: (text) => {
      if (clock.elapsed() < next) return;
      next = clock.elapsed() + pause;
      stream.write(stream.isTTY ? `${clearedLine()}${text}` : `${text}\n`);
    },
    clear: () => {
      if (stream.isTTY) stream.write(clearedLine());
    },
  };
}
