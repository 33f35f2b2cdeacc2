import { ownText } from '../../process/memory.js';
import type { Word, WordPart } from './ast.js';
import type { Scanner } from './scanner.js';

export class PartList {
  readonly #scanner: Scanner;
  readonly #parts: WordPart[] = [];
  #text = '';
  #quoted: boolean | undefined;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  text(text: string, quoted: boolean): void {
    if (this.#quoted !== quoted) this.#flush();
    this.#quoted = quoted;
    this.#text += text;
  }

  add(part: WordPart): void {
    this.#flush();
    this.#scanner.count();
    this.#parts.push(part);
  }

  get word(): Word {
    this.#flush();
    return this.#parts;
  }

  /** An empty word if nothing was read. */
  get wordOrEmpty(): Word {
    const { word } = this;
    return word.length > 0 ? word : [{ kind: 'literal', text: '', quoted: true }];
  }

  #flush(): void {
    if (this.#quoted === undefined) return;
    this.#scanner.count();
    this.#parts.push({ kind: 'literal', text: ownText(this.#text), quoted: this.#quoted });
    this.#text = '';
    this.#quoted = undefined;
  }
}
