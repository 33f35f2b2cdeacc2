import { endingSignalNumbers } from '../../../base/input/signal-numbers.js';

type ShortName = keyof typeof endingSignalNumbers;
/** A signal that ends a process, as rules write it: `KILL` or `SIGKILL`. */
export type EndingSignal = ShortName | `SIG${ShortName}`;

const shortNames = Object.keys(endingSignalNumbers) as ShortName[];

/** Their names, with and without SIG. */
export const endingSignals = [
  ...shortNames.map((name) => `SIG${name}` as const),
  ...shortNames,
] as const satisfies readonly EndingSignal[];

/** What a runtime reports of a process that a signal has ended: 128 and the signal's number. */
export const exitCodeOfSignal = (signal: EndingSignal): number =>
  128 + endingSignalNumbers[signal.replace(/^SIG/, '') as ShortName];
