import { ownText } from '../../process/memory.js';
import { ShellSyntaxError } from './syntax-error.js';

/** Nested constructs, so that no script can exhaust the stack. */
const MAX_DEPTH = 200;
/** Tokens and parts of words in one complete command, so that parsing a script doesn't block the others. */
const MAX_NODES = 20_000;
/** Characters in one complete command, for the same reason. */
const MAX_CHARACTERS = 512 * 1024;
/** Memory of one of them in a syntax tree, and of a character of the source, in bytes. */
const NODE_COST = 256;
const CHARACTER_COST = 2;

export class Scanner {
  readonly text: string;
  readonly #firstLine: number;
  /** Lines up to `#countedTo`, so that a long script is counted only once. */
  #lines = 0;
  #countedTo = 0;
  /** The next line end from there; the text's end without one. */
  #nextEnd: number;
  position = 0;
  /** Whether more lines may follow (a terminal, a script on stdin), so that an open here-document is not an end. */
  readonly partial: boolean;

  depth: number;
  /** Size of this text and of nested texts with their own scanners. */
  readonly #size: { nodes: number; characters: number };

  /** `within`: the scanner of the surrounding text. */
  constructor(text: string, options: { firstLine?: number; partial?: boolean; within?: Scanner } = {}) {
    this.text = text;
    this.#nextEnd = endOfLine(text, 0);
    this.#firstLine = options.firstLine ?? 1;
    this.partial = options.partial ?? false;
    this.depth = options.within?.depth ?? 0;
    this.#size = options.within ? options.within.#size : { nodes: 0, characters: 0 };
  }

  count(): void {
    if (++this.#size.nodes > MAX_NODES) throw new ShellSyntaxError('command is too long', this.line);
  }

  /** Memory of the syntax tree since the last complete command, in bytes. */
  get cost(): number {
    return NODE_COST * this.#size.nodes + CHARACTER_COST * (this.position - this.#size.characters);
  }

  beginCommand(): void {
    this.#size.nodes = 0;
    this.#size.characters = this.position;
  }

  nested<T>(read: () => T): T {
    if (++this.depth > MAX_DEPTH) throw new ShellSyntaxError('commands are nested too deeply', this.line);
    const result = read();
    this.depth--;
    return result;
  }

  get line(): number {
    if (this.position < this.#countedTo) {
      this.#lines = 0;
      this.#countedTo = 0;
      this.#nextEnd = endOfLine(this.text, 0);
    }
    while (this.#nextEnd < Math.min(this.position, this.text.length)) {
      this.#lines++;
      this.#countedTo = this.#nextEnd + 1;
      this.#nextEnd = endOfLine(this.text, this.#countedTo);
    }
    return this.#firstLine + this.#lines;
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  /** The character at the position, or `ahead` of it; empty at the end. */
  peek(ahead = 0): string {
    return this.text.charAt(this.position + ahead);
  }

  take(): string {
    const taken = this.text.charAt(this.position);
    this.#move(1);
    return taken;
  }

  /** Moves past `text` if it comes next. */
  accept(text: string): boolean {
    if (!this.text.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  /** Moves past a sticky expression's match here; empty without a match. */
  match(expression: RegExp): string {
    expression.lastIndex = this.position;
    const found = expression.exec(this.text)?.[0] ?? '';
    this.#move(found.length);
    return ownText(found);
  }

  #move(by: number): void {
    this.position += by;
    if (this.position - this.#size.characters > MAX_CHARACTERS) this.fail('command is too long');
  }

  fail(what: string): never {
    throw new ShellSyntaxError(what, this.line, this.done);
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
