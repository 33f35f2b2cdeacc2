import { ToolError } from '../kit/tool.js';
import type { TextPattern } from './regex.js';
import type { Address, Instruction } from './sed-script.js';

export interface Here {
  /** From 1. */
  readonly line: number;
  readonly isLast: boolean;
  readonly space: string;
}

/** The regular expressions of a script: an empty one means the last used one. */
export class Regexes {
  #last: TextPattern | undefined;

  use(given: TextPattern | undefined): TextPattern {
    const regex = given ?? this.#last;
    if (regex === undefined) throw new ToolError('no previous regexp');
    this.#last = regex;
    return regex;
  }
}

export class Selection {
  readonly #regexes: Regexes;
  /** Active ranges, with their last lines. */
  readonly #active = new Map<Instruction, number>();

  constructor(regexes: Regexes) {
    this.#regexes = regexes;
  }

  goesOn(instruction: Instruction): boolean {
    return this.#active.has(instruction);
  }

  has(instruction: Instruction, here: Here): boolean {
    const { from, to } = instruction;
    if (from === undefined) return true;
    if (to === undefined) return this.#fits(from, here);
    const until = this.#active.get(instruction);
    if (until !== undefined) {
      if (this.#isEnd(to, until, here)) this.#active.delete(instruction);
      return true;
    }
    if (!this.#fits(from, here)) return false;
    const end = endOf(to, here.line);
    // A range whose end has passed already selects one line.
    if (end > here.line) this.#active.set(instruction, end);
    return true;
  }

  #isEnd(to: Address, until: number, here: Here): boolean {
    return to.kind === 'line' || to.kind === 'more' ? here.line >= until : this.#fits(to, here);
  }

  #fits(address: Address, { line, isLast, space }: Here): boolean {
    switch (address.kind) {
      case 'line':
        return line === address.line;
      case 'last':
        return isLast;
      case 'step':
        return address.step === 0
          ? line === address.first
          : line >= address.first && (line - address.first) % address.step === 0;
      case 'regex':
        return this.#regexes.use(address.regex).test(space);
      default:
        return false;
    }
  }
}

/** The last line of a range that begins at `line`, if it is known. */
function endOf(to: Address, line: number): number {
  if (to.kind === 'more') return line + to.count;
  return to.kind === 'line' ? to.line : Number.POSITIVE_INFINITY;
}
