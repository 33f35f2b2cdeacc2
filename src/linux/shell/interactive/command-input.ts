import { describeJob } from '../builtins/jobs.js';
import { takeLine } from '../builtins/read.js';
import { isInteractive, type Shell, waitInterruptibly, write } from '../execution/shell.js';
import { toBytes } from '../text.js';
import { LineEditor } from './line-editor.js';

/** PS2, `> ` by default. */
const continuationPrompt = (shell: Shell): string => shell.variables.get('PS2') ?? '> ';

/** The lines of a shell's input. An interactive shell prompts for each; on a terminal they can be edited. */
export class CommandInput {
  readonly #shell: Shell;
  readonly #history: string[] = [];
  #editor: LineEditor | undefined;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  /** The next line, with its newline, empty at the end of the input; or a signal, if it arrives first. */
  async next(isContinued: boolean): ReturnType<typeof waitInterruptibly<Buffer>> {
    const shell = this.#shell;
    if (!isInteractive(shell)) return waitInterruptibly(shell, (signal) => takeLine(shell, signal));
    if (!isContinued) await reportJobs(shell);
    const question = isContinued ? continuationPrompt(shell) : prompt(shell);
    const terminal = shell.files.get(0)?.terminal;
    if (terminal === undefined) {
      await write(shell, 2, question);
      return waitInterruptibly(shell, (signal) => takeLine(shell, signal));
    }
    this.#editor ??= new LineEditor(this.#history, () => terminal.size().width || DEFAULT_WIDTH);
    const editor = this.#editor;
    const line = await waitInterruptibly(shell, (signal) => editLine(shell, editor, question, signal));
    if ('value' in line) this.discard();
    return line;
  }

  discard(): void {
    this.#editor = undefined;
  }
}

/** PS1, with busybox's escapes `\w`, `\u`, `\h` and `\$`; by default `/ # ` for root and `/ $ ` for others. */
function prompt(shell: Shell): string {
  const format = shell.variables.get('PS1') ?? '\\w \\$ ';
  return format.replace(/\\([wWuhHn$\\])/g, (_, letter: string) => promptPart(shell, letter));
}

function promptPart(shell: Shell, letter: string): string {
  const { user, container } = shell.process;
  const home = shell.variables.get('HOME');
  switch (letter) {
    case 'w':
      return home && home !== '/' && shell.cwd === home ? '~' : shell.cwd;
    case 'W':
      return shell.cwd === '/' ? '/' : shell.cwd.slice(shell.cwd.lastIndexOf('/') + 1);
    case 'u':
      return user.name;
    case 'h':
    case 'H':
      return container.hostname;
    case '$':
      return user.uid === 0 ? '#' : '$';
    case 'n':
      return '\n';
    default:
      return letter;
  }
}

/** Reads a line from the terminal, which is raw only meanwhile; empty at the end of the input. */
async function editLine(
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

/**
 * Ctrl-C: the shell sends itself INT, which ends the wait for the line. If the shell ignores INT, the line is empty.
 */
async function interrupt(shell: Shell, signal: AbortSignal): Promise<Buffer> {
  const { container, pid } = shell.process;
  container.kill(pid, 'INT');
  signal.throwIfAborted();
  await write(shell, 2, '\n');
  return toBytes('\n');
}

/** Columns of a client's terminal without a size. */
const DEFAULT_WIDTH = 80;

async function reportJobs(shell: Shell): Promise<void> {
  for (const job of shell.jobs.list().filter(({ status }) => status !== undefined)) {
    await write(shell, 2, describeJob(shell, job));
    shell.jobs.remove(job);
  }
}
