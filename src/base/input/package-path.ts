import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from './user-error.js';

/**
 * Absolute path of a file or directory of the package, relative to `package.json`. Sources and built files are at
 * different depths, so this searches upwards. Throws UserError if the installation lacks it.
 */
export function packagePath(path: string): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, path))) {
    const parent = dirname(directory);
    if (parent === directory) throw new UserError(`${path} is missing from this installation`);
    directory = parent;
  }
  return join(directory, path);
}
