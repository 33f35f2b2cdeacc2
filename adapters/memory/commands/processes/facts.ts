import type { Process } from '../../process/process.js';

/** The command line as ps shows it. */
export const commandLine = ({ argv }: Process): string => argv.join(' ');

/** The name of a process without its directory; what sets a title puts it after a colon (`nginx: worker process`). */
export const programName = ({ argv: [first = ''] }: Process): string =>
  first.replace(/:.*$/s, '').replace(/^.*\//, '');

/** Whom a process belongs to: a name, or a number that has none. */
export const ownerName = ({ user }: Process): string => user.name || String(user.uid);

/** Whether one process may signal another (kill(2)). */
export const maySignal = (from: Process, to: Process): boolean =>
  from.user.uid === 0 || from.user.uid === to.user.uid;

export const byPid = (a: Process, b: Process): number => a.pid - b.pid;

/** The processes that a process sees, in order. */
export const visibleFrom = ({ container }: Process): readonly Process[] =>
  [...container.processes()].sort(byPid);
