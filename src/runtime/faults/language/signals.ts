import { endingSignalNumbers } from '../../../base/input/signal-numbers.js';

type ShortName = keyof typeof endingSignalNumbers;
export type EndingSignal = ShortName | `SIG${ShortName}`;

const shortNames = Object.keys(endingSignalNumbers) as ShortName[];

export const endingSignals = [
  ...shortNames.map((name) => `SIG${name}` as const),
  ...shortNames,
] as const satisfies readonly EndingSignal[];

/** The exit code of a process that a signal has ended: 128 and the signal's number. */
export const exitCodeOfSignal = (signal: EndingSignal): number =>
  128 + endingSignalNumbers[signal.replace(/^SIG/, '') as ShortName];
