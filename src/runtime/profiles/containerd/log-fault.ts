import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path/posix';

/** Start of the error for a log that can't be made. It comes before runc, so that 1.7 adds nothing to it. */
export const NO_LOG =
  'failed to create containerd task: failed to create container loggers: failed to create and open log file: ';

/** Why the log of a container can't be opened: its path is a directory's, or below a file. */
export function logFault(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (at(path)?.isDirectory()) return `${NO_LOG}open ${path}: is a directory`;
  let above = dirname(path);
  while (above !== dirname(above) && at(above) === undefined) above = dirname(above);
  return at(above)?.isDirectory() === false ? `${NO_LOG}mkdir ${above}: not a directory` : undefined;
}

/** What is at a path; undefined for nothing, or below a file. */
function at(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
