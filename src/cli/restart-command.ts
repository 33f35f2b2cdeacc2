import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a shell command; rejects with what it wrote if it fails. */
export const restartWith = (command: string) => async (): Promise<void> => {
  await promisify(execFile)('/bin/sh', ['-c', command]);
};
