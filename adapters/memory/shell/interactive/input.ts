import { takeLine } from '../builtins/read.js';
import { ShellExit } from '../execution/control-flow.js';
import { fatalStatus } from '../execution/finish.js';
import { isInteractive, type Shell, waitInterruptibly, write } from '../execution/shell.js';
import type { Command } from '../syntax/ast.js';
import { parseScript } from '../syntax/parser.js';
import { ShellSyntaxError } from '../syntax/syntax-error.js';
import { toText } from '../text.js';
import { continuationPrompt, prompt } from './prompt.js';

/** Runs commands from stdin as they come in, line by line, so that they can read from it too. */
export async function runInput(shell: Shell): Promise<number> {
  if (isInteractive(shell)) catchInterrupts(shell);
  for (let firstLine = 1; ; ) {
    const input = await readCommands(shell, firstLine);
    if (input === undefined) return shell.status;
    firstLine += input.lines;
    for (const command of input.commands) await runCommand(shell, command);
  }
}

/** An interactive shell survives what ends a script, and the signals that end a job. */
async function runCommand(shell: Shell, command: Command): Promise<void> {
  try {
    await shell.run(shell, command, { tested: false, last: false });
  } catch (error) {
    if (!isInteractive(shell) || error instanceof ShellExit) throw error;
    shell.status = await fatalStatus(shell, error);
  }
}

function catchInterrupts(shell: Shell): void {
  for (const signal of ['TERM', 'QUIT']) shell.traps.set(signal, '');
  shell.traps.set('INT', ':');
}

interface Input {
  readonly commands: readonly Command[];
  readonly lines: number;
}

/** Lines until they are whole commands; undefined at the end of the input. */
async function readCommands(shell: Shell, firstLine: number): Promise<Input | undefined> {
  let text = '';
  let lines = 0;
  for (;;) {
    if (isInteractive(shell)) await write(shell, 2, text === '' ? prompt(shell) : continuationPrompt(shell));
    const line = await waitInterruptibly(shell, (signal) => takeLine(shell, signal));
    if ('caught' in line) {
      text = '';
      shell.status = 130;
      while (shell.traps.takePending() !== undefined);
      await write(shell, 2, '\n');
      continue;
    }
    const isEnd = line.value.length === 0;
    if (isEnd && text === '') return undefined;
    text += toText(line.value);
    lines++;
    try {
      return { commands: parseAll(text, firstLine, !isEnd), lines };
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      if (error.incomplete && !isEnd) continue;
      if (!isInteractive(shell)) throw error;
      shell.status = await fatalStatus(shell, error);
      return { commands: [], lines };
    }
  }
}

function parseAll(text: string, firstLine: number, partial: boolean): Command[] {
  const script = parseScript(text, { firstLine, partial });
  const commands: Command[] = [];
  for (let command = script.next(); command !== undefined; command = script.next()) commands.push(command);
  return commands;
}
