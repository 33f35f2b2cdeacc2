import type { PatternText } from './pattern.js';

export interface Piece extends PatternText {
  /** From an unquoted expansion: IFS splits it into fields. */
  readonly split: boolean;
}

/** Ends a field: between the parameters of `$@`. */
export const BREAK = 'break';
/** `"$@"` without parameters: no field, not even an empty one. */
export const NOTHING = 'nothing';

/** The result of an expansion, in order. */
export type Expanded = Piece | typeof BREAK | typeof NOTHING;

/** A field that distinguishes its quoted parts, for file names. */
export type Field = readonly PatternText[];

export const textOfField = (field: Field): string => field.map(({ text }) => text).join('');

/** Memory of a field in addition to its text: its pieces and their lists. */
export const FIELD_COST = 256;
export const FIELDS_AT_ONCE = 256;
/** Pieces and separators, of which many may yield no field: white space does not. */
const STEPS_AT_ONCE = 4096;

/** Pays for the memory of fields, and lets other tasks run. */
export type FieldPayment = (bytes: number) => Promise<void>;

/** Splits expanded parts into fields (POSIX 2.6.5), and pays for them in batches. */
export async function splitFields(
  expanded: readonly Expanded[],
  ifs: string,
  pay: FieldPayment,
): Promise<Field[]> {
  const splitter = new FieldSplitter(ifs, pay);
  const isNothing = expanded.includes(NOTHING);
  for (const piece of expanded) {
    if (splitter.owes()) await splitter.pay();
    if (piece === NOTHING) continue;
    if (piece === BREAK) splitter.endField();
    else if (isNothing && piece.text === '') continue;
    else if (piece.split && ifs !== '') await splitter.addSplit(piece);
    else if (piece.quoted || piece.text !== '') splitter.add(piece);
  }
  splitter.endField();
  return splitter.fields;
}

/**
 * Splits a line at IFS into at most `count` fields; the last one gets the rest, without the white space at its end
 * (`read`).
 */
export async function splitLine(
  line: readonly Piece[],
  ifs: string,
  count: number,
  pay: FieldPayment,
): Promise<string[]> {
  const splitter = new FieldSplitter(ifs, pay, count);
  for (const piece of line) {
    if (piece.split && ifs !== '') await splitter.addSplit(piece);
    else splitter.add(piece);
    if (splitter.isOver) break;
  }
  splitter.endField();
  const fields = splitter.fields.map(textOfField);
  if (fields.length <= count) return fields;
  const { text = '', split = false } = line.at(-1) ?? {};
  const rest = textOfField(line.slice(0, -1)) + (split ? trimmedEnd(text, ifs) : text);
  return [...fields.slice(0, count - 1), rest.slice(splitter.restAt)];
}

const trimmedEnd = (text: string, ifs: string): string => {
  let end = text.length;
  while (end > 0 && isSpace(text.charAt(end - 1)) && ifs.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
};

const isSpace = (char: string): boolean => ' \t\n'.includes(char);

class FieldSplitter {
  readonly fields: Field[] = [];
  /** Where the last of `most` fields begins in the text of all pieces. */
  restAt = 0;
  readonly #separator: RegExp;
  readonly #pay: FieldPayment;
  readonly #most: number;
  #paid = 0;
  /** Pieces and separators since the last payment. */
  #steps = 0;
  /** Characters of the pieces before. */
  #before = 0;
  #current: PatternText[] | undefined;
  /** White space has ended a field; another separator after it belongs to the same end. */
  #afterSpace = false;

  constructor(ifs: string, pay: FieldPayment, most = Number.POSITIVE_INFINITY) {
    this.#separator = new RegExp(`[${ifs.replace(/[\]\\^-]/g, '\\$&')}]`, 'g');
    this.#pay = pay;
    this.#most = most;
  }

  /** Counts one more step. */
  owes(): boolean {
    return ++this.#steps >= STEPS_AT_ONCE || this.fields.length - this.#paid >= FIELDS_AT_ONCE;
  }

  get isOver(): boolean {
    return this.fields.length > this.#most;
  }

  async pay(): Promise<void> {
    const count = this.fields.length - this.#paid;
    this.#paid += count;
    this.#steps = 0;
    await this.#pay(count * FIELD_COST);
  }

  add(piece: PatternText): void {
    this.#add(piece, 0);
    this.#before += piece.text.length;
  }

  endField(): void {
    if (this.#current) this.fields.push(this.#current);
    this.#current = undefined;
  }

  async addSplit({ text, quoted }: PatternText): Promise<void> {
    const separator = this.#separator;
    let start = 0;
    while (!this.isOver) {
      separator.lastIndex = start;
      const at = separator.exec(text)?.index;
      if (at === undefined) break;
      if (at > start) this.#add({ text: text.slice(start, at), quoted }, start);
      this.#separate(isSpace(text.charAt(at)), at);
      start = at + 1;
      if (this.owes()) await this.pay();
    }
    if (start < text.length) this.#add({ text: text.slice(start), quoted }, start);
    this.#before += text.length;
  }

  #add(piece: PatternText, at: number): void {
    this.#afterSpace = false;
    if (this.#current === undefined) this.#begin(at);
    this.#current ??= [];
    this.#current.push(piece);
  }

  #begin(at: number): void {
    if (this.fields.length === this.#most - 1) this.restAt = this.#before + at;
  }

  #separate(isSpace: boolean, at: number): void {
    const hadField = this.#current !== undefined;
    this.endField();
    if (isSpace) this.#afterSpace ||= hadField;
    else {
      if (!hadField && !this.#afterSpace) {
        this.#begin(at);
        this.fields.push([]);
      }
      this.#afterSpace = false;
    }
  }
}
