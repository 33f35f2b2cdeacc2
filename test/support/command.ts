import { execFile } from 'node:child_process';
import { type MockInstance, vi } from 'vitest';
import { terminalText } from '../../src/base/markup/terminal.js';
import { execute } from '../../src/cli/run.js';
import { commandLine } from './program.js';

/** A command's output and exit code. */
export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process, with warm code: it takes a tenth of a process's time. One at a time. */
export async function runCommand(...args: readonly string[]): Promise<CommandRun> {
  const [out, err] = [kept(process.stdout), kept(process.stderr)];
  const { exitCode } = process;
  process.exitCode = undefined;
  try {
    const code = await execute(args);
    return { code, out: out.text(), err: err.text() };
  } finally {
    process.exitCode = exitCode;
    out.spy.mockRestore();
    err.spy.mockRestore();
  }
}

/** Records writes to a stream, in the format of `run`. */
function kept(stream: NodeJS.WriteStream): { spy: MockInstance; text: () => string } {
  let text = '';
  const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    text += typeof chunk === 'string' ? terminalText(chunk) : Buffer.from(chunk).toString();
    for (const each of rest) if (typeof each === 'function') each();
    return true;
  };
  return {
    spy: vi.spyOn(stream, 'write').mockImplementation(write as typeof stream.write),
    text: () => text,
  };
}

/** Runs the command line in its own process. */
export const spawnCommand = (...args: readonly string[]): Promise<CommandRun> =>
  new Promise((resolve) => {
    execFile(process.execPath, commandLine(...args), (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
