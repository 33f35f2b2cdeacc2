import { BrokenPipe } from '../../process/pipe.js';
import type { Process, Program } from '../../process/process.js';
import { type GetoptSettings, getopt, type Options } from './getopt.js';
import { calledAs } from './io.js';

/** How a command's words are read. Default: no options at all. */
export interface ToolSettings extends GetoptSettings {
  /** Options by their letters; a colon follows one that takes an argument. */
  readonly letters?: string;
  /** The command reads its words itself: `echo`, `test`, `find`, `dd`. */
  readonly isRaw?: boolean;
  /** Turns words of an old style into options. */
  readonly rewrite?: (word: string, index: number, words: readonly string[]) => string;
}

/** A failure that ends a command: its text follows the command's name. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: number;

  constructor(text: string, code = 1) {
    super(text);
    this.code = code;
  }
}

/** How much output a command gathers before it writes, in bytes. */
const BUFFER = 32 * 1024;

/** A command at work: its options, what it says, and how it is going to end. */
export class Tool {
  readonly process: Process;
  /** As it was called, without the directory. */
  readonly name: string;
  readonly args: readonly string[];
  readonly options: Options;
  /** The exit code, unless the command says another. */
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

  /** Text goes out as UTF-8, or a Buffer as it is. */
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

  /** One line on standard error; the command continues, and ends with `code`. */
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

/** A failure in how a command was called. */
export const usage = (text: string): ToolError => new ToolError(text);

/** Makes a program of a command's own code; an error that it throws is printed on standard error and gives exit code 1. */
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

/** Runs a step for each of several operands: one that fails is reported with its name, and the others continue. */
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
