import { chunksOfFile } from '../kit/input.js';
import { type Tool, ToolError } from '../kit/tool.js';
import type { Instruction, Substitution } from './sed-script.js';
import { type Here, Regexes, Selection } from './sed-selection.js';
import { substitute } from './sed-substitute.js';

/** Writes output; bytes are characters of latin1. */
export type Put = (bytes: string) => Promise<void>;

type Flow = 'next' | 'cycle' | 'again' | 'quit' | { readonly label: string };

/** Steps between two lines; a script with more never ends. */
const MAX_STEPS = 100_000;

/** Cost of an instruction in addition to the bytes that it processes. */
const STEP_COST = 64;

export class Machine {
  isOver = false;
  readonly #tool: Tool;
  readonly #program: readonly Instruction[];
  readonly #put: Put;
  readonly #regexes = new Regexes();
  readonly #selection = new Selection(this.#regexes);
  #size = 0;
  #hold = '';
  #space = '';
  #ending = '\n';
  #line = 0;
  #isLast = false;
  #hasReplaced = false;
  #after: (string | { readonly file: string })[] = [];
  /** The instructions that continue when `n` or `N` gets its line. */
  #waiting: { readonly rest: readonly Instruction[]; readonly isAppended: boolean } | undefined;

  constructor(tool: Tool, program: readonly Instruction[], put: Put) {
    this.#tool = tool;
    this.#program = program;
    this.#put = put;
  }

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
    for (const each of this.#after) {
      if (typeof each === 'string') await this.#put(each);
      else await this.#putFile(each.file);
    }
    this.#after = [];
  }

  /** Prints nothing for an unreadable file, like GNU sed. */
  async #putFile(path: string): Promise<void> {
    const file = await this.#tool.process.fs.open(path, 'r').catch(() => undefined);
    if (file === undefined) return;
    for await (const chunk of chunksOfFile(file)) await this.#put(chunk.toString('latin1'));
  }

  async #print(text: string): Promise<void> {
    await this.#put(text + this.#ending);
  }

  async #runList(list: readonly Instruction[]): Promise<Flow> {
    for (const [index, instruction] of list.entries()) {
      await this.#account();
      if (this.#selection.has(instruction, this.#here()) === instruction.isNegated) continue;
      const flow = instruction.block
        ? await this.#runList(instruction.block)
        : await this.#runOne(instruction, list.slice(index + 1));
      if (flow !== 'next') return flow;
    }
    return 'next';
  }

  /** Every instruction costs work in proportion to the pattern space; both spaces cost memory. */
  async #account(): Promise<void> {
    const { process } = this.#tool;
    const size = 2 * (this.#space.length + this.#hold.length);
    process.allocate(size - this.#size);
    this.#size = size;
    await process.work(STEP_COST + this.#space.length);
  }

  #here(): Here {
    return { line: this.#line, isLast: this.#isLast, space: this.#space };
  }

  #afterLabel(label: string): readonly Instruction[] {
    if (label === '') return [];
    const index = this.#program.findIndex(({ verb, text }) => verb === ':' && text === label);
    if (index < 0) throw new ToolError(`can't find label for jump to '${label}'`);
    return this.#program.slice(index);
  }

  async #runOne(instruction: Instruction, rest: readonly Instruction[]): Promise<Flow> {
    const { verb, text } = instruction;
    switch (verb) {
      case 's':
        await this.#substitute(instruction.substitution as Substitution);
        return 'next';
      case 'y':
        this.#space = this.#translate(instruction.map ?? new Map());
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
        if (!this.#selection.goesOn(instruction)) await this.#put(`${text}\n`);
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
    else if (verb === 'r') this.#after.push({ file: text });
    else if (verb === 'w')
      await fs.writeFile(text, Buffer.from(`${this.#space}\n`, 'latin1'), { append: true });
    return 'next';
  }

  /** Without another line, `n` and `N` end the script. */
  async #next(rest: readonly Instruction[], isAppended: boolean): Promise<Flow> {
    if (this.#isLast) return 'quit';
    if (!isAppended && !this.#tool.has('n')) await this.#print(this.#space);
    if (!isAppended) await this.#flushAfter();
    this.#waiting = { rest, isAppended };
    return 'cycle';
  }

  #translate(map: ReadonlyMap<string, string>): string {
    const table = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    for (const [from, to] of map) table[from.charCodeAt(0)] = to.charCodeAt(0);
    const bytes = Buffer.from(this.#space, 'latin1');
    for (let at = 0; at < bytes.length; at++) bytes[at] = table[bytes[at] as number] as number;
    return bytes.toString('latin1');
  }

  async #substitute(substitution: Substitution): Promise<void> {
    const { regex, isPrinted, file } = substitution;
    const { process } = this.#tool;
    const result = await substitute(process, this.#space, this.#regexes.use(regex), substitution);
    if (result === undefined) return;
    this.#space = result;
    this.#hasReplaced = true;
    if (isPrinted) await this.#print(this.#space);
    if (file === undefined) return;
    await this.#tool.process.fs.writeFile(file, Buffer.from(`${this.#space}\n`, 'latin1'), { append: true });
  }
}
