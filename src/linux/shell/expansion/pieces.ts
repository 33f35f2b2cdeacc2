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

/** Pays for the memory of fields, and lets others run. */
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
  readonly #separator: RegExp;
  readonly #pay: FieldPayment;
  #paid = 0;
  #current: PatternText[] | undefined;
  /** White space has ended a field; another separator after it belongs to the same end. */
  #afterSpace = false;

  constructor(ifs: string, pay: FieldPayment) {
    this.#separator = new RegExp(`[${ifs.replace(/[\]\\^-]/g, '\\$&')}]`, 'g');
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
    const separator = this.#separator;
    let start = 0;
    for (;;) {
      separator.lastIndex = start;
      const at = separator.exec(text)?.index;
      if (at === undefined) break;
      if (at > start) this.add({ text: text.slice(start, at), quoted });
      this.#separate(' \t\n'.includes(text.charAt(at)));
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
