import { constants } from 'node:os';
import type { ExitStatus, SignalName } from './process.js';

/** Linux numbers, whatever the system that this runs on. */
const NUMBERS: Readonly<Record<string, number>> = {
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
  STKFLT: 16,
  CHLD: 17,
  CONT: 18,
  STOP: 19,
  TSTP: 20,
  TTIN: 21,
  TTOU: 22,
  URG: 23,
  XCPU: 24,
  XFSZ: 25,
  VTALRM: 26,
  PROF: 27,
  WINCH: 28,
  IO: 29,
  PWR: 30,
  SYS: 31,
};

/** Signals that a process survives unless it handles them otherwise. */
const HARMLESS = new Set(['CHLD', 'CONT', 'URG', 'WINCH', 'STOP', 'TSTP', 'TTIN', 'TTOU']);

export const signalNumber = (signal: SignalName): number | undefined => NUMBERS[signal];

/** `TERM` for `15`, `TERM`, `SIGTERM` and `term`; undefined if there is no such signal. */
export function signalName(text: string): SignalName | undefined {
  const byNumber = Object.entries(NUMBERS).find(([, number]) => String(number) === text);
  if (byNumber) return byNumber[0];
  const name = text.toUpperCase().replace(/^SIG/, '');
  if (name in NUMBERS) return name;
  return /^RTMIN(\+\d+)?$|^RTMAX(-\d+)?$/.test(name) && constants.signals ? name : undefined;
}

export const isDeadly = (signal: SignalName): boolean => !HARMLESS.has(signal);

/** The exit code as a parent and the runtime see it: the program's own, or 128 plus the signal. */
export function exitCodeOf(status: ExitStatus): number {
  return status.signal === undefined ? status.code & 0xff : 128 + (NUMBERS[status.signal] ?? 9);
}
