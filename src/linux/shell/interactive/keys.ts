import { toText } from '../text.js';

export type KeyAction =
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'word-left'
  | 'word-right'
  | 'backspace'
  | 'delete'
  | 'delete-to-start'
  | 'delete-to-end'
  | 'delete-word'
  | 'previous'
  | 'next'
  | 'clear'
  | 'complete'
  | 'enter'
  | 'interrupt'
  | 'end-of-input';

/** A key: a character in the shell's text form, or an action. */
export type Key = { readonly text: string } | { readonly action: KeyAction };

/** Ctrl-A is 1, Ctrl-B is 2 and so on; the backspace key sends 8 or 127. */
const CONTROL: Readonly<Record<number, KeyAction>> = {
  1: 'home',
  2: 'left',
  3: 'interrupt',
  4: 'end-of-input',
  5: 'end',
  6: 'right',
  8: 'backspace',
  9: 'complete',
  10: 'enter',
  11: 'delete-to-end',
  12: 'clear',
  13: 'enter',
  14: 'next',
  16: 'previous',
  21: 'delete-to-start',
  23: 'delete-word',
  127: 'backspace',
};

/** The sequences after ESC of xterm, the Linux console and screen (ECMA-48, and `infocmp`). */
const SEQUENCES: Readonly<Record<string, KeyAction>> = {
  '[A': 'previous',
  OA: 'previous',
  '[B': 'next',
  OB: 'next',
  '[C': 'right',
  OC: 'right',
  '[D': 'left',
  OD: 'left',
  '[H': 'home',
  OH: 'home',
  '[1~': 'home',
  '[7~': 'home',
  '[F': 'end',
  OF: 'end',
  '[4~': 'end',
  '[8~': 'end',
  '[3~': 'delete',
  '[1;5C': 'word-right',
  '[1;3C': 'word-right',
  f: 'word-right',
  '[1;5D': 'word-left',
  '[1;3D': 'word-left',
  b: 'word-left',
  '\x7f': 'delete-word',
};

const ESCAPE = 0x1b;

/** Complete when it ends with a letter or `~`; `O` and `[` begin a longer sequence. */
const COMPLETE = /^(?:\[[0-?]*[ -/]*[@-~]|O[\s\S]|[^[O])$/;

/** Drops the bytes of a longer sequence. */
const MAX_SEQUENCE = 16;

/** Decodes keys from bytes. A key can be several bytes, which can arrive separately. */
export class KeyReader {
  /** The bytes after ESC; undefined outside of a sequence. */
  #sequence: string | undefined;
  /** The first bytes of a character. */
  #character: number[] = [];

  /** The keys that a byte completes. Ignores unknown control characters and sequences. */
  read(byte: number): readonly Key[] {
    if (this.#sequence !== undefined) return this.#continueSequence(byte);
    const isContinuation = (byte & 0xc0) === 0x80;
    const before = isContinuation ? [] : this.#takeCharacter();
    return [...before, ...this.#begin(byte)];
  }

  #begin(byte: number): readonly Key[] {
    const action = CONTROL[byte];
    if (action !== undefined) return [{ action }];
    if (byte === ESCAPE) this.#sequence = '';
    if (byte < 0x20) return [];
    this.#character.push(byte);
    return this.#character.length >= lengthOf(this.#character[0] as number) ? this.#takeCharacter() : [];
  }

  #takeCharacter(): readonly Key[] {
    const text = toText(Buffer.from(this.#character));
    this.#character = [];
    return [...text].map((char) => ({ text: char }));
  }

  #continueSequence(byte: number): readonly Key[] {
    const sequence = this.#sequence + String.fromCharCode(byte);
    const isComplete = COMPLETE.test(sequence);
    this.#sequence = isComplete || sequence.length > MAX_SEQUENCE ? undefined : sequence;
    const action = isComplete ? SEQUENCES[sequence] : undefined;
    return action === undefined ? [] : [{ action }];
  }
}

/** Bytes of the character that begins with this one (RFC 3629). */
function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
