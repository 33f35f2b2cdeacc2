import type { ExitStatus } from '../../process/process.js';

const TEXTS: Readonly<Record<string, string>> = {
  HUP: 'Hangup',
  QUIT: 'Quit',
  ILL: 'Illegal instruction',
  TRAP: 'Trace/breakpoint trap',
  ABRT: 'Aborted',
  BUS: 'Bus error',
  FPE: 'Floating point exception',
  KILL: 'Killed',
  USR1: 'User defined signal 1',
  SEGV: 'Segmentation fault',
  USR2: 'User defined signal 2',
  ALRM: 'Alarm clock',
  TERM: 'Terminated',
};

/** What a shell says of a command that a signal killed; nothing for INT and PIPE, which are meant to be quiet. */
export function describeDeath(status: ExitStatus): string | undefined {
  if (status.signal === undefined || status.signal === 'INT' || status.signal === 'PIPE') return undefined;
  return TEXTS[status.signal] ?? `Killed by signal ${status.signal}`;
}
