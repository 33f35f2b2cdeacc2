import type { Word, WordPart } from './ast.js';

/** The parts of a word as they are read; neighbouring texts of one kind become one literal. */
export class PartList {
  readonly #parts: WordPart[] = [];
  #text = '';
  #quoted: boolean | undefined;

  text(text: string, quoted: boolean): void {
    if (this.#quoted !== quoted) this.#flush();
    this.#quoted = quoted;
    this.#text += text;
  }

  add(part: WordPart): void {
    this.#flush();
    this.#parts.push(part);
  }

  get word(): Word {
    this.#flush();
    return this.#parts;
  }

  /** A word even if nothing was read. */
  get wordOrEmpty(): Word {
    const { word } = this;
    return word.length > 0 ? word : [{ kind: 'literal', text: '', quoted: true }];
  }

  #flush(): void {
    if (this.#quoted === undefined) return;
    this.#parts.push({ kind: 'literal', text: this.#text, quoted: this.#quoted });
    this.#text = '';
    this.#quoted = undefined;
  }
}
