import { describeJob } from '../builtins/jobs.js';
import { takeLine } from '../builtins/read.js';
import { isInteractive, type Shell, waitInterruptibly, write } from '../execution/shell.js';
import { editLine } from './edit-line.js';
import { LineEditor } from './line-editor.js';
import { continuationPrompt, prompt } from './prompt.js';

/** The lines of a shell's input. An interactive shell asks for each; on a terminal they can be edited. */
export class CommandInput {
  readonly #shell: Shell;
  readonly #history: string[] = [];
  /** The line that a signal interrupted. */
  #editor: LineEditor | undefined;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  /** The next line, with its newline, empty at the end of the input; or the signal that came first. */
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

  /** Forgets the line that a signal interrupted. */
  discard(): void {
    this.#editor = undefined;
  }
}

/** Of a client's terminal that has no size, in columns. */
const DEFAULT_WIDTH = 80;

/** Reports the jobs that ended since the last prompt. */
async function reportJobs(shell: Shell): Promise<void> {
  for (const job of shell.jobs.list().filter(({ status }) => status !== undefined)) {
    await write(shell, 2, describeJob(shell, job));
    shell.jobs.remove(job);
  }
}
