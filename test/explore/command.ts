import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** Runs the command line in its own process, as `npm run build` has made it. */
export const runCommand = (args: readonly string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
