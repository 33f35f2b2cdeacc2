import type { Word } from './ast.js';
import { Lexer, type PendingHereDocument, type Token } from './lexer.js';
import type { Scanner } from './scanner.js';
import { ShellSyntaxError } from './syntax-error.js';
import { describeToken, textOf } from './tokens.js';
import type { CommandReader } from './words.js';

export class TokenStream {
  readonly #lexer: Lexer;
  readonly #scanner: Scanner;
  #lookahead: Token | undefined;
  #end = 0;

  constructor(scanner: Scanner, reader: CommandReader) {
    this.#scanner = scanner;
    this.#lexer = new Lexer(scanner, reader);
  }

  get end(): number {
    return this.#end;
  }

  peek(): Token {
    if (this.#lookahead === undefined) {
      this.#end = this.#scanner.position;
      this.#lookahead = this.#lexer.next();
    }
    return this.#lookahead;
  }

  take(): Token {
    const token = this.peek();
    this.#lookahead = undefined;
    return token;
  }

  /** Whether an operator, or a word without quotes and expansions, comes next. */
  isNext(text: string): boolean {
    return textOf(this.peek()) === text;
  }

  isOperator(text: string): boolean {
    const token = this.peek();
    return token.kind === 'operator' && token.text === text;
  }

  accept(text: string): boolean {
    if (!this.isNext(text)) return false;
    this.take();
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.unexpected(text);
  }

  word(): Word {
    const token = this.peek();
    if (token.kind !== 'word') return this.unexpected();
    this.take();
    return token.word;
  }

  skipNewlines(): void {
    while (this.peek().kind === 'newline') this.take();
  }

  expectHereDocument(document: PendingHereDocument): void {
    this.#lexer.expectHereDocument(document);
  }

  /** Refuses the next token; `word` means any word. */
  unexpected(expecting?: string): never {
    return this.unexpectedToken(this.peek(), expecting);
  }

  unexpectedToken(token: Token, expecting?: string): never {
    const wanted = expecting === 'word' ? 'word' : `"${expecting}"`;
    const suffix = expecting === undefined ? '' : ` (expecting ${wanted})`;
    throw new ShellSyntaxError(
      `unexpected ${describeToken(token)}${suffix}`,
      token.line,
      token.kind === 'end',
    );
  }
}
