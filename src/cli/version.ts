import { readFileSync } from 'node:fs';
import { UserError } from '../input/user-error.js';

/** From package.json, as many levels up as from the sources, plus one for `dist`. */
export function packageVersion(): string {
  for (const up of ['../../package.json', '../../../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as { version: string }).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new UserError('package.json is missing from this installation');
}
