import type { ExitStatus } from '../../process/process.js';
import { ShellSyntaxError } from '../syntax/syntax-error.js';
import { FunctionReturn, LoopJump, PrintedError, ShellExit } from './control-flow.js';
import { runAction, runPendingTraps } from './run-traps.js';
import { complain, type Shell } from './shell.js';

/** Runs a shell to its end: its EXIT trap runs unless `exec` replaces it, and the process gets its status. */
export async function finish(shell: Shell, body: () => Promise<number>): Promise<ExitStatus> {
  try {
    let status = await statusOf(shell, body);
    await statusOf(shell, async () => {
      await runPendingTraps(shell);
      return 0;
    });
    const action = shell.traps.get('EXIT');
    if (action) {
      shell.traps.reset('EXIT');
      shell.status = status;
      status = await statusOf(shell, async () => {
        await runAction(shell, action);
        return status;
      });
    }
    return { code: status };
  } finally {
    shell.files.closeAll();
    shell.memory.close();
  }
}

async function statusOf(shell: Shell, body: () => Promise<number>): Promise<number> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ShellExit || error instanceof FunctionReturn) return error.status;
    if (error instanceof LoopJump) return shell.status;
    return fatalStatus(shell, error);
  }
}

/** Prints the error that ended a script; rethrows other errors. */
export async function fatalStatus(shell: Shell, error: unknown): Promise<number> {
  if (error instanceof ShellSyntaxError) {
    if (shell.script !== undefined) shell.line = error.line;
    await complain(shell, error.message);
    return 2;
  }
  if (!(error instanceof PrintedError)) throw error;
  await complain(shell, error.message, error.builtin);
  return error.status;
}
