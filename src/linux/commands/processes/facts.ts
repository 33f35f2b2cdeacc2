import type { Process, SeenProcess } from '../../process/process.js';

export const commandLine = ({ argv }: SeenProcess): string => argv.join(' ');

/** Without its directory; programs that set a title put it after a colon (`nginx: worker process`). */
export const programName = ({ argv: [first = ''] }: SeenProcess): string =>
  first.replace(/:.*$/s, '').replace(/^.*\//, '');

export const ownerName = ({ user }: SeenProcess): string => user.name || String(user.uid);

/** Whether one process may signal another (kill(2)). */
export const maySignal = (from: SeenProcess, to: SeenProcess): boolean =>
  from.user.uid === 0 || from.user.uid === to.user.uid;

export const visibleFrom = ({ container }: Process): readonly SeenProcess[] => container.processes();
