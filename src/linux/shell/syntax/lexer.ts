import { ownText } from '../../process/memory.js';
import type { Redirection, Word } from './ast.js';
import { Scanner } from './scanner.js';
import { type CommandReader, readHereDocument, readWord } from './words.js';

/** `start` is an offset in the source, `line` counts from 1. */
export type Token =
  | { readonly kind: 'word'; readonly word: Word; readonly start: number; readonly line: number }
  | { readonly kind: 'operator'; readonly text: string; readonly start: number; readonly line: number }
  /** A redirection operator with its descriptor; the target is the next word. */
  | {
      readonly kind: 'redirection';
      readonly operator: RedirectionOperator;
      readonly fd: number;
      readonly start: number;
      readonly line: number;
    }
  | { readonly kind: 'newline' | 'end'; readonly start: number; readonly line: number };

/** As in the source: `<<-` becomes `<<` once its tabs are removed. */
export type RedirectionOperator = Redirection['operator'] | '<<-';

export interface PendingHereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripTabs: boolean;
  body: Word;
}

const OPERATOR = /&&|\|\||;;|;&|[;&|()]/y;
const REDIRECTION = /([0-9]{1,4})?(<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)|&>>|&>/y;
const BLANK = /[ \t]{1,65536}|\\\n/y;
const COMMENT = /#[^\n]*/y;

export class Lexer {
  readonly scanner: Scanner;
  readonly #reader: CommandReader;
  #hereDocuments: PendingHereDocument[] = [];

  constructor(scanner: Scanner, reader: CommandReader) {
    this.scanner = scanner;
    this.#reader = reader;
  }

  next(): Token {
    const { scanner } = this;
    scanner.count();
    while (scanner.match(BLANK) !== '');
    scanner.match(COMMENT);
    const { position: start, line } = scanner;
    if (scanner.done) return this.#end();
    if (scanner.accept('\n')) {
      this.#readHereDocuments();
      return { kind: 'newline', start, line };
    }
    const redirection = scanner.match(REDIRECTION);
    if (redirection !== '') return { ...redirectionToken(redirection), start, line };
    const text = scanner.match(OPERATOR);
    if (text !== '') return { kind: 'operator', text, start, line };
    return { kind: 'word', word: readWord(scanner, this.#reader), start, line };
  }

  #end(): Token {
    const { scanner } = this;
    const isOpen = this.#hereDocuments.length > 0 || scanner.text.endsWith('\\\n');
    if (scanner.partial && isOpen) scanner.fail('unexpected end of file');
    return { kind: 'end', start: scanner.position, line: scanner.line };
  }

  /** The body is filled in when the line ends. */
  expectHereDocument(document: PendingHereDocument): void {
    this.#hereDocuments.push(document);
  }

  #readHereDocuments(): void {
    const documents = this.#hereDocuments;
    this.#hereDocuments = [];
    for (const document of documents) document.body = this.#readBody(document);
  }

  #readBody({ delimiter, quoted, stripTabs }: PendingHereDocument): Word {
    const { scanner } = this;
    const { line: firstLine } = scanner;
    let body = '';
    while (!scanner.done) {
      const line = scanner.match(/[^\n]*\n?/y);
      const stripped = stripTabs ? line.replace(/^\t+/, '') : line;
      if (stripped.replace(/\n$/, '') === delimiter) return this.#bodyOf(body, quoted, firstLine);
      body += stripped;
    }
    if (scanner.partial) scanner.fail('unexpected end of file');
    return this.#bodyOf(body, quoted, firstLine);
  }

  #bodyOf(body: string, quoted: boolean, firstLine: number): Word {
    if (quoted) return [{ kind: 'literal', text: ownText(body), quoted: true }];
    return readHereDocument(new Scanner(body, { firstLine, within: this.scanner }), this.#reader);
  }
}

function redirectionToken(text: string) {
  const digits = /^[0-9]*/.exec(text)?.[0] ?? '';
  const operator = text.slice(digits.length) as RedirectionOperator;
  const fd = digits === '' ? (operator.startsWith('<') ? 0 : 1) : Number(digits);
  return { kind: 'redirection', operator, fd } as const;
}
