import { bytesOf, linesOf } from '../kit/input.js';
import { command, eachOperand, type Tool, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { type Address, type Instruction, parseSed, type Substitution } from './sed-script.js';

const sed = command(
  { letters: 'nrEsie:f:z', long: { quiet: 'n', silent: 'n', 'in-place': 'i' } },
  async (tool) => {
    const script = [...tool.options.values('e')];
    for (const file of tool.options.values('f'))
      script.push((await tool.process.fs.readFile(file)).toString());
    const operands = [...tool.operands];
    if (!tool.has('e') && !tool.has('f')) script.push(operands.shift() ?? missing());
    const program = parseSed(bytesOf(script.join('\n')), tool.has('r') || tool.has('E'));
    if (!tool.has('i')) return run(tool, program, operands, (bytes) => tool.printBytes(bytes));
    for (const path of operands) {
      let result = '';
      const { mode } = await tool.process.fs.stat(path);
      await run(tool, program, [path], async (bytes) => {
        result += bytes;
      });
      await tool.process.fs.writeFile(path, Buffer.from(result, 'latin1'), { mode });
    }
    return tool.code;
  },
);

const missing = (): never => {
  throw usage('missing script');
};

type Put = (bytes: string) => Promise<void>;

async function run(
  tool: Tool,
  program: readonly Instruction[],
  paths: readonly string[],
  put: Put,
): Promise<number> {
  const machine = new Machine(tool, program, put);
  let pending: string | undefined;
  await eachOperand(tool, paths.length > 0 ? paths : ['-'], async (path) => {
    for await (const lines of linesOf(tool, path)) {
      for (const line of lines) {
        if (pending !== undefined) await machine.feed(pending, false);
        // A file that ends without a newline ends its line all the same, if more follows.
        pending = line;
        if (machine.isOver) return;
      }
    }
  });
  if (pending !== undefined && !machine.isOver) await machine.feed(pending, true);
  await machine.end();
  return tool.code;
}

/** How a cycle goes on: with the next instruction, the next line, the same line again, or not at all. */
type Flow = 'next' | 'cycle' | 'again' | 'quit' | { readonly label: string };

/** Steps between two lines; more is a script that goes round for ever. */
const MAX_STEPS = 100_000;

class Machine {
  isOver = false;
  readonly #tool: Tool;
  readonly #program: readonly Instruction[];
  readonly #put: Put;
  readonly #active = new Map<Instruction, number>();
  #hold = '';
  #space = '';
  #ending = '\n';
  #line = 0;
  #isLast = false;
  #lastRegex: RegExp | undefined;
  #hasReplaced = false;
  #after: string[] = [];
  /** The instructions to go on with when `n` or `N` gets its line. */
  #waiting: { readonly rest: readonly Instruction[]; readonly isAppended: boolean } | undefined;

  constructor(tool: Tool, program: readonly Instruction[], put: Put) {
    this.#tool = tool;
    this.#program = program;
    this.#put = put;
  }

  /** One line of input, with its newline if it has one. */
  async feed(line: string, isLast: boolean): Promise<void> {
    if (this.isOver) return;
    const text = line.endsWith('\n') ? line.slice(0, -1) : line;
    this.#ending = isLast && !line.endsWith('\n') ? '' : '\n';
    this.#line++;
    this.#isLast = isLast;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting?.isAppended) this.#space += `\n${text}`;
    else this.#space = text;
    this.#hasReplaced = false;
    await this.#cycle(waiting?.rest ?? this.#program);
  }

  async end(): Promise<void> {
    if (this.#waiting?.isAppended && !this.isOver) await this.#finishCycle();
  }

  async #cycle(start: readonly Instruction[]): Promise<void> {
    let rest = start;
    for (let steps = 0; ; steps++) {
      if (steps > MAX_STEPS) throw new ToolError('the script does not end');
      const flow = await this.#runList(rest);
      if (typeof flow === 'object') {
        rest = this.#afterLabel(flow.label);
        continue;
      }
      if (this.#waiting) return;
      if (flow === 'again') {
        rest = this.#program;
        continue;
      }
      if (flow !== 'cycle') await this.#finishCycle();
      else await this.#flushAfter();
      if (flow === 'quit') this.isOver = true;
      return;
    }
  }

  async #finishCycle(): Promise<void> {
    if (!this.#tool.has('n')) await this.#print(this.#space);
    await this.#flushAfter();
  }

  async #flushAfter(): Promise<void> {
    for (const text of this.#after) await this.#put(text);
    this.#after = [];
  }

  async #print(text: string): Promise<void> {
    await this.#put(text + this.#ending);
  }

  async #runList(list: readonly Instruction[]): Promise<Flow> {
    for (const [index, instruction] of list.entries()) {
      if (this.#isSelected(instruction) === instruction.isNegated) continue;
      const flow = instruction.block
        ? await this.#runList(instruction.block)
        : await this.#runOne(instruction, list.slice(index + 1));
      if (flow !== 'next') return flow;
    }
    return 'next';
  }

  #afterLabel(label: string): readonly Instruction[] {
    if (label === '') return [];
    const index = this.#program.findIndex(({ verb, text }) => verb === ':' && text === label);
    if (index < 0) throw new ToolError(`can't find label for jump to '${label}'`);
    return this.#program.slice(index);
  }

  #isSelected(instruction: Instruction): boolean {
    const { from, to } = instruction;
    if (from === undefined) return true;
    if (to === undefined) return this.#fits(from);
    const until = this.#active.get(instruction);
    if (until === undefined) {
      if (!this.#fits(from)) return false;
      // A line number that is past already selects one line.
      if (to.kind === 'line' && to.line <= this.#line) return true;
      const end =
        to.kind === 'more' ? this.#line + to.count : to.kind === 'line' ? to.line : Number.POSITIVE_INFINITY;
      if (end > this.#line) this.#active.set(instruction, end);
      return true;
    }
    const isEnd =
      to.kind === 'regex' || to.kind === 'last' || to.kind === 'step' ? this.#fits(to) : this.#line >= until;
    if (isEnd) this.#active.delete(instruction);
    return true;
  }

  #fits(address: Address): boolean {
    switch (address.kind) {
      case 'line':
        return this.#line === address.line;
      case 'last':
        return this.#isLast;
      case 'step':
        return address.step === 0
          ? this.#line === address.first
          : this.#line >= address.first && (this.#line - address.first) % address.step === 0;
      case 'regex':
        return this.#regex(address.regex).test(this.#space);
      default:
        return false;
    }
  }

  #regex(given: RegExp | undefined): RegExp {
    const regex = given ?? this.#lastRegex;
    if (regex === undefined) throw new ToolError('no previous regexp');
    this.#lastRegex = regex;
    regex.lastIndex = 0;
    return regex;
  }

  async #runOne(instruction: Instruction, rest: readonly Instruction[]): Promise<Flow> {
    const { verb, text } = instruction;
    switch (verb) {
      case 's':
        await this.#substitute(instruction.substitution as Substitution);
        return 'next';
      case 'y':
        this.#space = [...this.#space].map((char) => instruction.map?.get(char) ?? char).join('');
        return 'next';
      case 'p':
        await this.#print(this.#space);
        return 'next';
      case 'P':
        await this.#put(`${this.#space.split('\n', 1)[0]}\n`);
        return 'next';
      case 'd':
        return 'cycle';
      case 'D': {
        const cut = this.#space.indexOf('\n');
        this.#space = this.#space.slice(cut + 1);
        return cut < 0 ? 'cycle' : 'again';
      }
      case 'q':
        return 'quit';
      case 'Q':
        this.isOver = true;
        return 'cycle';
      case 'n':
        return this.#next(rest, false);
      case 'N':
        return this.#next(rest, true);
      case 'a':
        this.#after.push(`${text}\n`);
        return 'next';
      case 'i':
        await this.#put(`${text}\n`);
        return 'next';
      case 'c':
        if (!this.#active.has(instruction)) await this.#put(`${text}\n`);
        return 'cycle';
      case '=':
        await this.#put(`${this.#line}\n`);
        return 'next';
      case 'b':
        return { label: text };
      case 't':
      case 'T': {
        const isTaken = this.#hasReplaced === (verb === 't');
        this.#hasReplaced = false;
        return isTaken ? { label: text } : 'next';
      }
      default:
        return this.#moveOrFile(verb, text);
    }
  }

  async #moveOrFile(verb: string, text: string): Promise<Flow> {
    const { fs } = this.#tool.process;
    if (verb === 'h') this.#hold = this.#space;
    else if (verb === 'H') this.#hold += `\n${this.#space}`;
    else if (verb === 'g') this.#space = this.#hold;
    else if (verb === 'G') this.#space += `\n${this.#hold}`;
    else if (verb === 'x') [this.#space, this.#hold] = [this.#hold, this.#space];
    else if (verb === 'r')
      this.#after.push((await fs.readFile(text).catch(() => Buffer.alloc(0))).toString('latin1'));
    else if (verb === 'w')
      await fs.writeFile(text, Buffer.from(`${this.#space}\n`, 'latin1'), { append: true });
    return 'next';
  }

  /** Without another line, `n` ends as at the end of the script, `N` too. */
  async #next(rest: readonly Instruction[], isAppended: boolean): Promise<Flow> {
    if (this.#isLast) return 'quit';
    if (!isAppended && !this.#tool.has('n')) await this.#print(this.#space);
    if (!isAppended) await this.#flushAfter();
    this.#waiting = { rest, isAppended };
    return 'cycle';
  }

  async #substitute({ regex, replacement, isGlobal, nth, isPrinted, file }: Substitution): Promise<void> {
    let count = 0;
    let hasReplaced = false;
    const pattern = this.#regex(regex);
    this.#space = this.#space.replace(pattern.global ? pattern : new RegExp(pattern, 'g'), (...match) => {
      count++;
      if (isGlobal ? count < nth : count !== nth) return match[0];
      hasReplaced = true;
      return expand(replacement, match as string[]);
    });
    if (!hasReplaced) return;
    this.#hasReplaced = true;
    if (isPrinted) await this.#print(this.#space);
    if (file === undefined) return;
    await this.#tool.process.fs.writeFile(file, Buffer.from(`${this.#space}\n`, 'latin1'), { append: true });
  }
}

/** `&`, `\1` to `\9`, `\n` and escaped characters of a replacement. */
function expand(replacement: string, match: readonly (string | undefined)[]): string {
  return replacement.replace(/\\([\s\S])|&/g, (text, char: string | undefined) => {
    if (char === undefined) return match[0] ?? text;
    if (/\d/.test(char))
      return typeof match[Number(char)] === 'string' ? (match[Number(char)] as string) : '';
    return char === 'n' ? '\n' : char === 't' ? '\t' : char;
  });
}

/** The stream editor. */
export const sedCommands: CommandTable = { sed };
