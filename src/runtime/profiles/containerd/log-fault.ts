import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path/posix';

/** Start of the error for a log that can't be created. It precedes runc, so 1.7 adds nothing to it. */
export const NO_LOG =
  'failed to create containerd task: failed to create container loggers: failed to create and open log file: ';

/** Returns why a container's log can't be opened: its path is a directory's, or below a file. */
export function logFault(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (at(path)?.isDirectory()) return `${NO_LOG}open ${path}: is a directory`;
  let above = dirname(path);
  while (above !== dirname(above) && at(above) === undefined) above = dirname(above);
  return at(above)?.isDirectory() === false ? `${NO_LOG}mkdir ${above}: not a directory` : undefined;
}

/** Undefined for a missing path, and for one below a file. */
function at(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
