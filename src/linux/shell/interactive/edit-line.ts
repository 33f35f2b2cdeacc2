import { type Shell, write } from '../execution/shell.js';
import { toBytes } from '../text.js';
import type { LineEditor } from './line-editor.js';

/**
 * Reads a line, with its newline, from the terminal that is the shell's input; empty at the end of the input. The
 * terminal is in raw mode only meanwhile, so that the programs that the shell starts, and `read`, get whole lines.
 */
export async function editLine(
  shell: Shell,
  editor: LineEditor,
  prompt: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const file = shell.files.get(0);
  const terminal = file?.terminal;
  if (file === undefined || terminal === undefined) throw new Error('the input is not a terminal');
  terminal.raw = true;
  try {
    await write(shell, 2, editor.start(prompt));
    for (;;) {
      const chunk = await file.read(signal);
      if (chunk === null) return Buffer.alloc(0);
      const { output, end, taken } = editor.type(chunk);
      if (taken < chunk.length) file.unread(chunk.subarray(taken));
      await write(shell, 2, output);
      if (end === 'interrupt') return await interrupt(shell, signal);
      if (end !== undefined) return toBytes(end === 'line' ? `${editor.text}\n` : '');
    }
  } finally {
    terminal.raw = false;
  }
}

/** Ctrl-C: the shell sends itself INT, which ends the wait for the line. If the shell ignores INT, the line is empty. */
async function interrupt(shell: Shell, signal: AbortSignal): Promise<Buffer> {
  const { container, pid } = shell.process;
  container.kill(pid, 'INT');
  signal.throwIfAborted();
  await write(shell, 2, '\n');
  return toBytes('\n');
}
