import type { Clock } from '../../base/clock/clock.js';
import { clearedLine } from '../../base/markup/terminal.js';

export type ProgressStream = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean };

export interface ProgressLine {
  readonly show: (text: string) => void;
  readonly clear: () => void;
}

/** Shows the text at most once in `every` ms; without a terminal, prints a line every `elsewhere` ms, or none. */
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
