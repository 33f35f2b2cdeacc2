import type { PatternText } from './pattern.js';

/** What a part of a word expands to. */
export interface Piece extends PatternText {
  /** Comes from an unquoted expansion: it is split into fields by IFS. */
  readonly split: boolean;
}

/** Ends a field wherever it stands: between the parameters of `$@`. */
export const BREAK = 'break';
/** `"$@"` without parameters: it is no field, not even an empty one. */
export const NOTHING = 'nothing';

/** What an expansion yields, in order. */
export type Expanded = Piece | typeof BREAK | typeof NOTHING;

/** A field that still knows what of it was quoted, for file names. */
export type Field = readonly PatternText[];

/** The field after quote removal. */
export const textOfField = (field: Field): string => field.map(({ text }) => text).join('');

/** What a field takes in memory in addition to its text: its pieces and their lists. */
export const FIELD_COST = 256;
/** Fields whose memory is asked for at once. */
export const FIELDS_AT_ONCE = 256;

/** Characters that are looked at before others get their turn. */
const CHARACTERS_AT_ONCE = 65_536;

/** Asks for the memory that fields take, and lets the others have their turn. */
export type FieldPayment = (bytes: number) => Promise<void>;

/** Splits expanded parts into fields (POSIX 2.6.5), which are paid for from time to time. */
export async function splitFields(
  expanded: readonly Expanded[],
  ifs: string,
  pay: FieldPayment,
): Promise<Field[]> {
  const splitter = new FieldSplitter(ifs, pay);
  const isNothing = expanded.includes(NOTHING);
  for (const piece of expanded) {
    if (piece === NOTHING) continue;
    if (piece === BREAK) splitter.endField();
    else if (isNothing && piece.text === '') continue;
    else if (piece.split && ifs !== '') await splitter.addSplit(piece);
    else if (piece.quoted || piece.text !== '') splitter.add(piece);
    if (splitter.owes) await splitter.pay();
  }
  splitter.endField();
  return splitter.fields;
}

class FieldSplitter {
  readonly fields: Field[] = [];
  readonly #isSeparator: readonly boolean[];
  readonly #pay: FieldPayment;
  #paid = 0;
  #current: PatternText[] | undefined;
  /** White space has ended a field; another separator after it belongs to the same end. */
  #afterSpace = false;

  constructor(ifs: string, pay: FieldPayment) {
    const isSeparator: boolean[] = [];
    for (let at = 0; at < ifs.length; at++) isSeparator[ifs.charCodeAt(at)] = true;
    this.#isSeparator = isSeparator;
    this.#pay = pay;
  }

  get owes(): boolean {
    return this.fields.length - this.#paid >= FIELDS_AT_ONCE;
  }

  async pay(): Promise<void> {
    const count = this.fields.length - this.#paid;
    this.#paid += count;
    await this.#pay(count * FIELD_COST);
  }

  add(piece: PatternText): void {
    this.#afterSpace = false;
    this.#current ??= [];
    this.#current.push(piece);
  }

  endField(): void {
    if (this.#current) this.fields.push(this.#current);
    this.#current = undefined;
  }

  async addSplit({ text, quoted }: PatternText): Promise<void> {
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      if (at % CHARACTERS_AT_ONCE === CHARACTERS_AT_ONCE - 1) await this.#pay(0);
      if (!this.#isSeparator[text.charCodeAt(at)]) continue;
      const char = text.charAt(at);
      if (at > start) this.add({ text: text.slice(start, at), quoted });
      this.#separate(' \t\n'.includes(char));
      start = at + 1;
      if (this.owes) await this.pay();
    }
    if (start < text.length) this.add({ text: text.slice(start), quoted });
  }

  #separate(isSpace: boolean): void {
    const hadField = this.#current !== undefined;
    this.endField();
    if (isSpace) this.#afterSpace ||= hadField;
    else {
      if (!hadField && !this.#afterSpace) this.fields.push([]);
      this.#afterSpace = false;
    }
  }
}
