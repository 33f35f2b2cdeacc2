import type { Programs } from '../commands/programs.js';
import type { Program } from '../process/process.js';
import { type Invocation, parseInvocation } from './execution/command-line.js';
import { ShellExit } from './execution/control-flow.js';
import { errorText } from './execution/files.js';
import { finish } from './execution/finish.js';
import { run } from './execution/run.js';
import { runText } from './execution/run-traps.js';
import { complain, type Shell, startShell, write } from './execution/shell.js';
import { absolute } from './expansion/glob.js';
import { runInput } from './interactive/input.js';
import { toText } from './text.js';

/** `sh`: a POSIX shell with busybox ash's texts. Runs `-c`, a script or stdin; interactive on a terminal. */
export function createShell(programs: Programs): Program {
  return async (process) => {
    const invocation = parseInvocation(process);
    const { arg0, positional, options } = invocation;
    const shell = startShell({ process, programs, run, arg0, positional, options });
    return finish(shell, () => body(shell, invocation));
  };
}

async function body(shell: Shell, { error, source }: Invocation): Promise<number> {
  if (error !== undefined) {
    await complain(shell, error);
    return 2;
  }
  if (source.kind === 'stdin') return runInput(shell);
  if (source.kind === 'text') return runText(shell, source.text, { tested: false, last: true });
  shell.script = source.path;
  return runText(shell, await readScript(shell, source.path), { tested: false, last: false });
}

async function readScript(shell: Shell, path: string): Promise<string> {
  try {
    return toText(await shell.process.fs.readFile(absolute(shell.cwd, path)));
  } catch (error) {
    await write(shell, 2, `${shell.process.argv[0]}: can't open '${path}': ${errorText(error)}\n`);
    throw new ShellExit(2);
  }
}
