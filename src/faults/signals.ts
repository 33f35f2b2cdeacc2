/** The signals that end a process unless it handles them, by their Linux numbers (signal(7)). */
const NUMBERS = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  TRAP: 5,
  ABRT: 6,
  BUS: 7,
  FPE: 8,
  KILL: 9,
  USR1: 10,
  SEGV: 11,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
} as const;

type ShortName = keyof typeof NUMBERS;
export type EndingSignal = ShortName | `SIG${ShortName}`;

const shortNames = Object.keys(NUMBERS) as ShortName[];

/** Their names, with and without SIG. */
export const endingSignals = [
  ...shortNames.map((name) => `SIG${name}` as const),
  ...shortNames,
] as const satisfies readonly EndingSignal[];

/** What a runtime reports of a process that a signal has ended: 128 and the signal's number. */
export const exitCodeOfSignal = (signal: EndingSignal): number =>
  128 + NUMBERS[signal.replace(/^SIG/, '') as ShortName];
