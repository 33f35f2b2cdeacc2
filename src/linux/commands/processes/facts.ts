import type { Process, SeenProcess } from '../../process/process.js';

/** The command line as ps shows it. */
export const commandLine = ({ argv }: SeenProcess): string => argv.join(' ');

/** The name of a process without its directory; what sets a title puts it after a colon (`nginx: worker process`). */
export const programName = ({ argv: [first = ''] }: SeenProcess): string =>
  first.replace(/:.*$/s, '').replace(/^.*\//, '');

/** The user of a process: the name, or the number if it has none. */
export const ownerName = ({ user }: SeenProcess): string => user.name || String(user.uid);

/** Whether one process may signal another (kill(2)). */
export const maySignal = (from: SeenProcess, to: SeenProcess): boolean =>
  from.user.uid === 0 || from.user.uid === to.user.uid;

/** The processes that a process sees, in order. */
export const visibleFrom = ({ container }: Process): readonly SeenProcess[] => container.processes();
