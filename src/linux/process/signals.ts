import { constants } from 'node:os';
import { signalNumbers } from '../../base/input/signal-numbers.js';
import type { ExitStatus, SignalName } from './process.js';

/** Signals that don't end a process by default. */
const HARMLESS = new Set(['CHLD', 'CONT', 'URG', 'WINCH', 'STOP', 'TSTP', 'TTIN', 'TTOU']);

export const signalNumber = (signal: SignalName): number | undefined => signalNumbers[signal];

/** `TERM` for `15`, `TERM`, `SIGTERM` and `term`; undefined if there is no such signal. */
export function signalName(text: string): SignalName | undefined {
  const byNumber = Object.entries(signalNumbers).find(([, number]) => String(number) === text);
  if (byNumber) return byNumber[0];
  const name = text.toUpperCase().replace(/^SIG/, '');
  if (name in signalNumbers) return name;
  return /^RTMIN(\+\d+)?$|^RTMAX(-\d+)?$/.test(name) && constants.signals ? name : undefined;
}

/** Whether it ends a process that does not handle it (signal(7)). */
export const isDeadly = (signal: SignalName): boolean => !HARMLESS.has(signal);

/** The exit code for a parent and the runtime: the program's own, or 128 plus the signal. */
export function exitCodeOf(status: ExitStatus): number {
  return status.signal === undefined ? status.code & 0xff : 128 + (signalNumbers[status.signal] ?? 9);
}
