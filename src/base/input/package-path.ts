import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from './user-error.js';

/**
 * The absolute path of a file or directory that the package ships, given from its root, as in `package.json`. The
 * sources and the built files lie at different depths below the root, so this looks in each directory upwards. Throws
 * UserError if the installation lacks it.
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
