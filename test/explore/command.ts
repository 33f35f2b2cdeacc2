import { execFile } from 'node:child_process';
import { commandLine } from '../support/program.js';

/** Runs the command line in its own process. */
export const runCommand = (args: readonly string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, commandLine(...args), (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
