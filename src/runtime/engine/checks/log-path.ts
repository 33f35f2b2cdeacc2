import { posix } from 'node:path';
import { invalid } from '../../../cri/errors.js';

/** Throws `invalid` for a relative directory, and for a NUL, which no path contains (path_resolution(7)). */
export function checkLogDirectory(directory: string): void {
  if (directory !== '' && !posix.isAbsolute(directory))
    throw invalid(`log_directory "${directory}" is relative: it must be an absolute path`, {
      name: 'relative-log-directory',
      directory,
    });
  checkPath('log_directory', directory);
}

/** Throws `invalid` for a path with a NUL, which no system call accepts. */
export function checkPath(field: string, path: string): void {
  if (path.includes('\0')) throw invalid(`${field} ${JSON.stringify(path)} has a NUL character`);
}

/** join(log_directory, log_path); undefined without logging. Throws `invalid` for a path outside the directory. */
export function resolveLogPath(directory: string, path: string, anywhere = false): string | undefined {
  if (anywhere && directory !== '' && path !== '') return posix.join(directory, path);
  checkLogDirectory(directory);
  if (directory === '' || path === '') return undefined;
  const base = posix.normalize(`${directory}/`);
  const file = posix.join(base, path);
  if (path.includes('\0') || !file.startsWith(base) || file === base || file.endsWith('/'))
    throw invalid(
      `log_path ${JSON.stringify(path)} does not name a file inside log_directory "${directory}"`,
    );
  return file;
}
