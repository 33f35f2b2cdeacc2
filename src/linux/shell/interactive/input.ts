import { FunctionReturn, Interrupted, ShellError, ShellExit } from '../execution/control-flow.js';
import { fatalStatus } from '../execution/finish.js';
import { runPendingTraps } from '../execution/run-traps.js';
import { isInteractive, type Shell, write } from '../execution/shell.js';
import type { Command } from '../syntax/ast.js';
import { parseScript } from '../syntax/parser.js';
import { ShellSyntaxError } from '../syntax/syntax-error.js';
import { toText } from '../text.js';
import { CommandInput } from './command-input.js';

/** 128 plus the number of INT. */
const INTERRUPTED = 130;

/** Runs commands from stdin as they arrive, line by line, so that they can read from it too. */
export async function runInput(shell: Shell): Promise<number> {
  if (isInteractive(shell)) shell.traps.beInteractive();
  const input = new CommandInput(shell);
  for (let firstLine = 1; ; ) {
    const outer = shell.memory.enter();
    const read = await readCommands(shell, input, firstLine).finally(() => shell.memory.leave(outer));
    if (read === undefined) return shell.status;
    firstLine += read.lines;
    shell.memory.keep(read.cost);
    for (const command of read.commands) await runCommand(shell, command);
    shell.memory.keep(-read.cost);
  }
}

/** An interactive shell survives errors that end a script, and signals that end a job. */
async function runCommand(shell: Shell, command: Command): Promise<void> {
  try {
    await shell.run(shell, command, { tested: false, last: false });
  } catch (error) {
    if (!isInteractive(shell) || error instanceof ShellExit) throw error;
    if (error instanceof Interrupted) shell.status = await interrupted(shell);
    else shell.status = error instanceof FunctionReturn ? error.status : await fatalStatus(shell, error);
  }
}

async function interrupted(shell: Shell): Promise<number> {
  await write(shell, 2, '\n');
  return INTERRUPTED;
}

/** Runs the traps of signals that arrived while the shell waited for a line; true for Ctrl-C. */
async function isInterrupted(shell: Shell): Promise<boolean> {
  try {
    await runPendingTraps(shell);
    return false;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    shell.status = await interrupted(shell);
    return true;
  }
}

interface Commands {
  readonly commands: readonly Command[];
  readonly lines: number;
  /** Memory of the commands, in bytes. */
  readonly cost: number;
}

/** Characters of one command: each further line parses its lines again. */
const MAX_TEXT = 256 * 1024;

/** Reads lines until they are complete commands; undefined at the end of the input. */
async function readCommands(
  shell: Shell,
  input: CommandInput,
  firstLine: number,
): Promise<Commands | undefined> {
  let text = '';
  let lines = 0;
  for (;;) {
    const line = await input.next(text !== '');
    if ('caught' in line) {
      if (await isInterrupted(shell)) {
        text = '';
        input.discard();
      }
      continue;
    }
    const isEnd = line.value.length === 0;
    if (isEnd && text === '') return undefined;
    text += toText(line.value);
    if (text.length > MAX_TEXT) throw new ShellError('command is too long');
    lines++;
    try {
      return { ...parseAll(text, firstLine, !isEnd), lines };
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      if (error.incomplete && !isEnd) continue;
      if (!isInteractive(shell)) throw error;
      shell.status = await fatalStatus(shell, error);
      return { commands: [], cost: 0, lines };
    }
  }
}

function parseAll(text: string, firstLine: number, partial: boolean): Omit<Commands, 'lines'> {
  const script = parseScript(text, { firstLine, partial });
  const commands: Command[] = [];
  let cost = 0;
  for (let command = script.next(); command !== undefined; command = script.next()) {
    commands.push(command);
    cost += script.cost;
  }
  return { commands, cost };
}
