import { parseScript } from '../syntax/parser.js';
import { Interrupted } from './control-flow.js';
import type { RunContext, Shell } from './shell.js';

/** Runs the actions of the signals that arrived during a command. Throws Interrupted for Ctrl-C at a prompt. */
export async function runPendingTraps(shell: Shell): Promise<void> {
  for (let signal = shell.traps.takePending(); signal !== undefined; signal = shell.traps.takePending()) {
    const action = shell.traps.get(signal);
    if (action) await runAction(shell, action);
    else if (action === undefined) throw new Interrupted();
  }
}

/** Runs a trap's commands; restores `$?` afterwards (POSIX trap). */
export async function runAction(shell: Shell, action: string): Promise<void> {
  const { status, trapStatus } = shell;
  shell.trapStatus = status;
  const outer = shell.memory.enter();
  shell.memory.holdTexts([action]);
  try {
    await runText(shell, action, { tested: false, last: false });
  } finally {
    shell.memory.leave(outer);
  }
  shell.status = status;
  shell.trapStatus = trapStatus;
}

/** Runs a text in this shell, one complete command after another. Throws ShellSyntaxError if it can't be parsed. */
export async function runText(shell: Shell, text: string, context: RunContext): Promise<number> {
  const script = parseScript(text);
  let status = 0;
  for (let command = script.next(); command !== undefined; command = script.next()) {
    const isLast = context.last && isBlankFrom(text, script.position);
    const { cost } = script;
    shell.memory.keep(cost);
    try {
      status = await shell.run(shell, command, { ...context, last: isLast });
    } finally {
      shell.memory.keep(-cost);
    }
  }
  return status;
}

function isBlankFrom(text: string, position: number): boolean {
  const next = /\S/g;
  next.lastIndex = position;
  return !next.test(text);
}
