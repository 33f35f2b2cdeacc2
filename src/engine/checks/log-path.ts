import { posix } from 'node:path';
import { invalid } from '../../cri/errors.js';

/**
 * join(log_directory, log_path), or undefined when either is empty, which turns logging off (containerd). Throws
 * `invalid` for a path that leaves the directory.
 */
export function resolveLogPath(directory: string, path: string): string | undefined {
  if (directory === '' || path === '') return undefined;
  const base = posix.normalize(`${directory}/`);
  const file = posix.join(base, path);
  if (path.includes('\0') || !file.startsWith(base) || file === base || file.endsWith('/'))
    throw invalid(
      `log_path ${JSON.stringify(path)} does not name a file inside log_directory "${directory}"`,
    );
  return file;
}
