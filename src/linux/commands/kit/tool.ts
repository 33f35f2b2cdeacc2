import { BrokenPipe } from '../../process/pipe.js';
import type { Process, Program } from '../../process/process.js';
import { type GetoptSettings, getopt, type Options } from './getopt.js';
import { calledAs } from './io.js';

/** How a command's words are parsed. Default: no options. */
export interface ToolSettings extends GetoptSettings {
  /** Options by their letters; a colon follows one with an argument. */
  readonly letters?: string;
  /** The command parses its words itself: `echo`, `test`, `find`, `dd`. */
  readonly isRaw?: boolean;
  /** Turns words of an old syntax into options. */
  readonly rewrite?: (word: string, index: number, words: readonly string[]) => string;
}

/** An error that ends a command: its text follows the command's name. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: number;

  constructor(text: string, code = 1) {
    super(text);
    this.code = code;
  }
}

/** Bytes of output that a command buffers. */
const BUFFER = 32 * 1024;

export class Tool {
  readonly process: Process;
  readonly name: string;
  readonly args: readonly string[];
  readonly options: Options;
  /** The exit code, unless the command returns another. */
  code = 0;
  #pending: Buffer[] = [];
  #size = 0;

  constructor(process: Process, { letters = '', isRaw = false, rewrite, ...settings }: ToolSettings) {
    const args = process.argv.slice(1);
    this.process = process;
    this.name = calledAs(process);
    this.args = args;
    this.options = getopt(isRaw ? [] : rewrite ? args.map(rewrite) : args, letters, settings);
  }

  get operands(): readonly string[] {
    return this.options.operands;
  }

  has(flag: string): boolean {
    return this.options.has(flag);
  }

  /** Writes text as UTF-8, or a Buffer unchanged. */
  async print(data: string | Buffer): Promise<void> {
    await this.#put(typeof data === 'string' ? Buffer.from(data) : data);
  }

  /** Text in which every character is a byte. */
  async printBytes(bytes: string): Promise<void> {
    await this.#put(Buffer.from(bytes, 'latin1'));
  }

  async flush(): Promise<void> {
    if (this.#size === 0) return;
    const chunk = this.#pending.length === 1 ? (this.#pending[0] as Buffer) : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#size = 0;
    await this.process.stdout.write(chunk);
  }

  /** Writes one line to standard error; the command continues, and exits with `code`. */
  async complain(text: string, code = 1): Promise<void> {
    this.code = code;
    await this.flush();
    await this.process.stderr.write(Buffer.from(`${this.name}: ${text}\n`));
  }

  async #put(chunk: Buffer): Promise<void> {
    this.#pending.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= BUFFER) await this.flush();
  }
}

export const usage = (text: string): ToolError => new ToolError(text);

/** Each of its directives becomes text. */
const LONGEST_FORMAT = 4096;

export function demandFormat(format: string): string {
  if (format.length <= LONGEST_FORMAT) return format;
  throw usage(`the format is longer than ${LONGEST_FORMAT} characters`);
}

/** Makes a program from a command's code; an error that it throws goes to standard error and means exit code 1. */
export function command(
  settings: string | ToolSettings,
  main: (tool: Tool) => Promise<number> | Promise<void>,
): Program {
  const given = typeof settings === 'string' ? { letters: settings } : settings;
  return async (process) => {
    let tool: Tool | undefined;
    try {
      tool = new Tool(process, given);
      const code = await main(tool);
      await tool.flush();
      return { code: code ?? tool.code };
    } catch (error) {
      if (error instanceof BrokenPipe || process.killed.aborted || !(error instanceof Error)) throw error;
      tool ??= new Tool(process, { isRaw: true });
      await tool.complain(error.message);
      return { code: error instanceof ToolError ? error.code : 1 };
    }
  };
}

/** Runs a step for each operand: reports one that fails with its name, and continues with the others. */
export async function eachOperand(
  tool: Tool,
  operands: readonly string[],
  step: (operand: string) => Promise<void>,
  tell: (operand: string, problem: string) => string = (operand, problem) => `${operand}: ${problem}`,
): Promise<void> {
  for (const operand of operands) {
    try {
      await step(operand);
    } catch (error) {
      if (error instanceof BrokenPipe || tool.process.killed.aborted || !(error instanceof Error))
        throw error;
      await tool.complain(error instanceof ToolError ? error.message : tell(operand, error.message));
    }
  }
}

/** The same for steps whose problems name the operand themselves. */
export const eachTold = (
  tool: Tool,
  operands: readonly string[],
  step: (operand: string) => Promise<void>,
): Promise<void> => eachOperand(tool, operands, step, (_, problem) => problem);
