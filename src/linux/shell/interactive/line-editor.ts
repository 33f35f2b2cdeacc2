import { stripVTControlCharacters } from 'node:util';
import { type Key, type KeyAction, KeyReader } from './keys.js';

/** How a line ended: complete, abandoned with Ctrl-C, or with Ctrl-D on an empty line. */
export type LineEnd = 'line' | 'interrupt' | 'end';

/** The effect of typed bytes. */
export interface Typed {
  readonly output: string;
  /** Undefined while the line is not complete. */
  readonly end: LineEnd | undefined;
  /** Consumed bytes; those after the end of the line belong to the next reader. */
  readonly taken: number;
}

/** The longest line, in characters; more ring the bell. */
const MAX_LINE = 4095;
/** Lines in the history, as in busybox (FEATURE_EDITING_HISTORY). */
const MAX_HISTORY = 255;
const BELL = '\x07';
const CLEAR_BELOW = '\x1b[J';

/** Edits one line with the keys of busybox's ash (libbb/lineedit.c). Takes bytes, returns the terminal's output. */
export class LineEditor {
  readonly #history: string[];
  readonly #width: () => number;
  readonly #keys = new KeyReader();
  /** The lines of the history and, last, the new one; edits of old lines end with this line. */
  readonly #lines: string[][];
  #at: number;
  #cursor = 0;
  #prompt = '';
  #output = '';

  /** `history` gets the complete line; `width` is the terminal's, in columns. */
  constructor(history: string[], width: () => number) {
    this.#history = history;
    this.#width = width;
    this.#lines = [...history.map((line) => [...line]), []];
    this.#at = history.length;
  }

  get text(): string {
    return this.#line.join('');
  }

  start(prompt: string): string {
    this.#prompt = prompt;
    this.#draw();
    return this.#takeOutput();
  }

  /** Takes bytes up to the end of the line. */
  type(bytes: Buffer): Typed {
    for (const [index, byte] of bytes.entries())
      for (const key of this.#keys.read(byte)) {
        const end = this.#press(key);
        if (end !== undefined) return { output: this.#takeOutput(), end, taken: index + 1 };
      }
    return { output: this.#takeOutput(), end: undefined, taken: bytes.length };
  }

  #press(key: Key): LineEnd | undefined {
    if ('text' in key) return this.#insert(key.text);
    if (key.action === 'enter') return this.#complete();
    if (key.action === 'interrupt') return this.#interrupt();
    if (key.action === 'end-of-input' && this.#line.length === 0) return 'end';
    this.#edit(key.action);
    return undefined;
  }

  #edit(action: KeyAction): void {
    const [line, cursor] = [this.#line, this.#cursor];
    if (action === 'left') this.#move(cursor - 1);
    else if (action === 'right') this.#move(cursor + 1);
    else if (action === 'home') this.#move(0);
    else if (action === 'end') this.#move(line.length);
    else if (action === 'word-left') this.#move(this.#wordStart());
    else if (action === 'word-right') this.#move(this.#wordEnd());
    else if (action === 'backspace') this.#delete(cursor - 1, cursor);
    else if (action === 'delete' || action === 'end-of-input') this.#delete(cursor, cursor + 1);
    else if (action === 'delete-to-start') this.#delete(0, cursor);
    else if (action === 'delete-to-end') this.#delete(cursor, line.length);
    else if (action === 'delete-word') this.#delete(this.#wordStart(), cursor);
    else if (action === 'previous') this.#show(this.#at - 1);
    else if (action === 'next') this.#show(this.#at + 1);
    else if (action === 'clear') this.#clear();
    else this.#output += BELL;
  }

  get #line(): string[] {
    return this.#lines[this.#at] as string[];
  }

  #takeOutput(): string {
    const output = this.#output;
    this.#output = '';
    return output;
  }

  #draw(): void {
    const cursor = this.#cursor;
    this.#output += this.#prompt;
    this.#cursor = 0;
    this.#redraw(0, cursor);
  }

  #clear(): void {
    this.#output += `\x1b[H${CLEAR_BELOW}`;
    this.#draw();
  }

  #insert(text: string): undefined {
    if (this.#line.length >= MAX_LINE) {
      this.#output += BELL;
      return;
    }
    const from = this.#cursor;
    this.#line.splice(from, 0, text);
    this.#redraw(from, from + 1);
  }

  #delete(from: number, to: number): void {
    if (from < 0 || from >= to || from >= this.#line.length) return;
    this.#move(from);
    this.#line.splice(from, to - from);
    this.#output += CLEAR_BELOW;
    this.#redraw(from, from);
  }

  #show(at: number): void {
    if (at < 0 || at >= this.#lines.length) {
      this.#output += BELL;
      return;
    }
    this.#move(0);
    this.#at = at;
    this.#output += CLEAR_BELOW;
    this.#redraw(0, this.#line.length);
  }

  #complete(): LineEnd {
    this.#move(this.#line.length);
    this.#output += '\n';
    const { text } = this;
    if (text !== '' && text !== this.#history.at(-1)) this.#history.push(text);
    if (this.#history.length > MAX_HISTORY) this.#history.shift();
    return 'line';
  }

  #interrupt(): LineEnd {
    this.#move(this.#line.length);
    this.#output += '^C';
    return 'interrupt';
  }

  #wordStart(): number {
    let at = this.#cursor;
    while (at > 0 && isBlank(this.#line[at - 1])) at--;
    while (at > 0 && !isBlank(this.#line[at - 1])) at--;
    return at;
  }

  #wordEnd(): number {
    let at = this.#cursor;
    while (at < this.#line.length && isBlank(this.#line[at])) at++;
    while (at < this.#line.length && !isBlank(this.#line[at])) at++;
    return at;
  }

  /** Shows the line from the cursor's place on, and moves the cursor to another one. */
  #redraw(from: number, cursor: number): void {
    const rest = this.#line.slice(from).join('');
    this.#output += rest;
    this.#cursor = this.#line.length;
    // At the right margin a terminal wraps with the next character only.
    if (rest !== '' && this.#column(this.#cursor) % this.#width() === 0) this.#output += ' \r';
    this.#move(cursor);
  }

  /** Moves the cursor on the screen, where the line can take several rows. */
  #move(wanted: number): void {
    const cursor = Math.min(Math.max(wanted, 0), this.#line.length);
    const width = this.#width();
    const [from, to] = [this.#column(this.#cursor), this.#column(cursor)];
    this.#cursor = cursor;
    const rows = Math.floor(to / width) - Math.floor(from / width);
    if (rows === 0) this.#output += to < from ? '\b'.repeat(from - to) : forward(to - from);
    else this.#output += `\x1b[${Math.abs(rows)}${rows < 0 ? 'A' : 'B'}\r${forward(to % width)}`;
  }

  /** Columns from the beginning of the prompt's last line; sequences that set colors take none. */
  #column(index: number): number {
    const last = this.#prompt.slice(this.#prompt.lastIndexOf('\n') + 1);
    return [...stripVTControlCharacters(last)].length + index;
  }
}

const forward = (columns: number): string => (columns > 0 ? `\x1b[${columns}C` : '');

const isBlank = (char: string | undefined): boolean => char === ' ' || char === '\t';
