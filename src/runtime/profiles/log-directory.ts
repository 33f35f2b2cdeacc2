import { existsSync } from 'node:fs';
import { dirname } from 'node:path/posix';

/** Whether a log cannot be written for lack of its directory. Where that of the pod is missing, too, nothing is stored, as in a simulation. */
export function lacksDirectory(logPath: string): boolean {
  const directory = dirname(logPath);
  return !existsSync(directory) && existsSync(dirname(directory));
}
