import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from './user-error.js';

/** Creates a new directory in the system's, which TMPDIR sets. Throws UserError if it can't. */
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
