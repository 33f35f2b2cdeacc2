import { existsSync } from 'node:fs';
import { dirname } from 'node:path/posix';

/**
 * Whether a log can't be written because its directory is missing. If the pod's directory is missing too, no log is
 * stored, as in a simulation.
 */
export function lacksDirectory(logPath: string): boolean {
  const directory = dirname(logPath);
  return !existsSync(directory) && existsSync(dirname(directory));
}
