import { parseScript } from '../syntax/parser.js';
import { Interrupted } from './control-flow.js';
import type { RunContext, Shell } from './shell.js';

/** Runs the actions of the signals that came while a command ran. Throws Interrupted for Ctrl-C at a prompt. */
export async function runPendingTraps(shell: Shell): Promise<void> {
  for (let signal = shell.traps.takePending(); signal !== undefined; signal = shell.traps.takePending()) {
    const action = shell.traps.get(signal);
    if (action) await runAction(shell, action);
    else if (action === undefined) throw new Interrupted();
  }
}

/** Runs a trap's commands; `$?` is afterwards what it was before (POSIX trap). */
export async function runAction(shell: Shell, action: string): Promise<void> {
  const { status, trapStatus } = shell;
  shell.trapStatus = status;
  await runText(shell, action, { tested: false, last: false });
  shell.status = status;
  shell.trapStatus = trapStatus;
}

/** Runs a text in this shell, one complete command after another. Throws ShellSyntaxError where it can't be parsed. */
export async function runText(shell: Shell, text: string, context: RunContext): Promise<number> {
  const script = parseScript(text);
  let status = 0;
  let command = script.next();
  while (command !== undefined) {
    const isLast = context.last && text.slice(script.position).trim() === '';
    status = await shell.run(shell, command, { ...context, last: isLast });
    command = script.next();
  }
  return status;
}
