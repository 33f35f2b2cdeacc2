import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a shell command; if it fails, rejects with its output. */
export const restartWith = (command: string) => async (): Promise<void> => {
  await promisify(execFile)('/bin/sh', ['-c', command]);
};
