import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from './user-error.js';

/** Makes a directory with a new name below the system's, which TMPDIR names. Throws UserError where none can be made. */
export function makeTemporaryDirectory(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(
      `${tmpdir()}: no temporary directory can be made here (${code}); set TMPDIR to another directory`,
    );
  }
}
