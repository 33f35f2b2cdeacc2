import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UserError } from '../../../input/user-error.js';

/** Runs a shell command. Rejects with UserError, which has its output, if it fails. */
export const restartWith = (command: string) => async (): Promise<void> => {
  await promisify(execFile)('/bin/sh', ['-c', command]).catch(({ code, signal, stderr }) => {
    const end = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    throw new UserError(
      `--restart-command ${JSON.stringify(command)} ${end}: ${String(stderr).trim() || 'no output'}`,
    );
  });
};
