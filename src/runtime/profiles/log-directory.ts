import { existsSync } from 'node:fs';
import { dirname } from 'node:path/posix';

/** Whether a log can't be written for lack of its directory. Without the pod's directory, no log is stored. */
export function lacksDirectory(logPath: string): boolean {
  const directory = dirname(logPath);
  return !existsSync(directory) && existsSync(dirname(directory));
}
