import type {
  Assignment,
  CaseItem,
  Command,
  GroupCommand,
  IfCommand,
  Redirection,
  SequenceItem,
  Word,
} from './ast.js';
import { Lexer, type PendingHereDocument, type RedirectionOperator, type Token } from './lexer.js';
import { Scanner } from './scanner.js';
import { ShellSyntaxError } from './syntax-error.js';
import { describeToken, keywordOf, splitAssignment, textOf } from './tokens.js';
import type { CommandReader } from './words.js';

/** Commands inside commands, so that no script can exhaust the stack of the parser. */
const MAX_DEPTH = 200;

const SKIP: Command = { kind: 'sequence', items: [] };

type Closing = string | undefined;

/** A script's parser: one complete command after another, as a shell reads them. */
export interface ScriptParser {
  /** The next complete command (up to the end of its line); undefined at the end. Throws ShellSyntaxError. */
  next(): Command | undefined;
  /** How much of the text has been read. */
  readonly position: number;
  readonly line: number;
}

/** `partial`: the text may be continued, so what is open at its end is an incomplete command. */
export function parseScript(
  text: string,
  options: { firstLine?: number; partial?: boolean } = {},
): ScriptParser {
  const scanner = new Scanner(text, options.firstLine, options.partial);
  const parser = new Parser(scanner, 0);
  return {
    next: () => parser.completeCommand(),
    get position() {
      return scanner.position;
    },
    get line() {
      return scanner.line;
    },
  };
}

class Parser {
  readonly #lexer: Lexer;
  readonly #scanner: Scanner;
  #lookahead: Token | undefined;
  #depth: number;
  /** Where the last token ended. */
  #end = 0;

  constructor(scanner: Scanner, depth: number) {
    this.#scanner = scanner;
    this.#depth = depth;
    const reader: CommandReader = {
      substitution: (inner) => new Parser(inner, this.#depth + 1).upTo(')'),
      backquoted: (text, line) => new Parser(new Scanner(text, line), this.#depth + 1).upTo(undefined),
    };
    this.#lexer = new Lexer(scanner, reader);
  }

  completeCommand(): Command | undefined {
    this.#skipNewlines();
    if (this.#peek().kind === 'end') return undefined;
    const items = this.#lineOfItems();
    const token = this.#peek();
    if (token.kind !== 'newline' && token.kind !== 'end') this.#unexpected();
    if (token.kind === 'newline') this.#take();
    return sequenceOf(items);
  }

  /** A list up to a closing operator, or to the end of the text. */
  upTo(closing: Closing): Command {
    const body = this.#list(closing);
    if (closing === undefined && this.#peek().kind !== 'end') this.#unexpected();
    if (closing !== undefined) this.#expect(closing);
    return body;
  }

  #peek(): Token {
    if (this.#lookahead === undefined) {
      this.#end = this.#scanner.position;
      this.#lookahead = this.#lexer.next();
    }
    return this.#lookahead;
  }

  #take(): Token {
    const token = this.#peek();
    this.#lookahead = undefined;
    return token;
  }

  #isNext(text: string): boolean {
    return textOf(this.#peek()) === text;
  }

  #accept(text: string): boolean {
    if (!this.#isNext(text)) return false;
    this.#take();
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) this.#unexpected(text);
  }

  #unexpected(expecting?: string): never {
    return this.#unexpectedToken(this.#peek(), expecting);
  }

  #unexpectedToken(token: Token, expecting?: string): never {
    const wanted =
      expecting === undefined ? '' : ` (expecting ${expecting === 'word' ? 'word' : `"${expecting}"`})`;
    throw new ShellSyntaxError(
      `unexpected ${describeToken(token)}${wanted}`,
      token.line,
      token.kind === 'end',
    );
  }

  #skipNewlines(): void {
    while (this.#peek().kind === 'newline') this.#take();
  }

  /** Commands on any number of lines, up to what can't begin one. `closing` is named if there is none at all. */
  #list(closing: Closing, mayBeEmpty = true): Command {
    if (++this.#depth > MAX_DEPTH)
      throw new ShellSyntaxError('commands are nested too deeply', this.#peek().line);
    const items: SequenceItem[] = [];
    this.#skipNewlines();
    while (!this.#endsList()) {
      items.push(...this.#lineOfItems());
      if (this.#peek().kind !== 'newline') break;
      this.#skipNewlines();
    }
    if (items.length === 0 && !mayBeEmpty)
      this.#unexpected(this.#peek().kind === 'end' ? closing : undefined);
    this.#depth--;
    return sequenceOf(items);
  }

  /** Whether the next token is one that only ends a compound command. */
  #endsList(): boolean {
    const token = this.#peek();
    if (token.kind === 'end') return true;
    if (token.kind === 'operator') return token.text !== '(' && token.text !== '&&' && token.text !== '||';
    const keyword = keywordOf(token);
    return keyword !== undefined && CLOSING.has(keyword);
  }

  #lineOfItems(): SequenceItem[] {
    const items: SequenceItem[] = [];
    do {
      const { start } = this.#peek();
      const command = this.#andOr();
      this.#peek();
      const text = this.#scanner.text.slice(start, this.#end).trim();
      const background = this.#isOperator('&');
      items.push({ command, background, text });
      if (!background && !this.#isOperator(';')) break;
      this.#take();
    } while (!this.#endsLine());
    return items;
  }

  #endsLine(): boolean {
    return this.#peek().kind === 'newline' || this.#endsList();
  }

  #isOperator(text: string): boolean {
    const token = this.#peek();
    return token.kind === 'operator' && token.text === text;
  }

  #andOr(): Command {
    let left = this.#pipeline();
    for (;;) {
      const operator = this.#isOperator('&&') ? '&&' : this.#isOperator('||') ? '||' : undefined;
      if (operator === undefined) return left;
      this.#take();
      this.#skipNewlines();
      left = { kind: 'and-or', operator, left, right: this.#pipeline() };
    }
  }

  #pipeline(): Command {
    let negated = false;
    while (this.#accept('!')) negated = !negated;
    const stages = [this.#command()];
    while (this.#isOperator('|')) {
      this.#take();
      this.#skipNewlines();
      stages.push(this.#command());
    }
    return stages.length === 1 && !negated ? (stages[0] as Command) : { kind: 'pipeline', stages, negated };
  }

  #command(): Command {
    if (++this.#depth > MAX_DEPTH)
      throw new ShellSyntaxError('commands are nested too deeply', this.#peek().line);
    const command = this.#compound() ?? this.#simple();
    this.#depth--;
    return command;
  }

  #compound(): Command | undefined {
    const opening = textOf(this.#peek());
    if (opening === '(') return this.#group('subshell', ')');
    if (opening === '{') return this.#group('group', '}');
    if (opening === 'if') return this.#if();
    if (opening === 'while' || opening === 'until') return this.#loop(opening);
    if (opening === 'for') return this.#for();
    if (opening === 'case') return this.#case();
    if (opening === 'function') return this.#functionKeyword();
    return undefined;
  }

  #group(kind: GroupCommand['kind'], closing: string): GroupCommand {
    this.#take();
    const body = this.#list(closing, false);
    this.#expect(closing);
    return { kind, body, redirections: this.#redirections() };
  }

  #if(): IfCommand {
    this.#take();
    const clauses: { condition: Command; body: Command }[] = [];
    let otherwise: Command | undefined;
    do {
      const condition = this.#list('then', false);
      this.#expect('then');
      clauses.push({ condition, body: this.#list('fi', false) });
    } while (this.#accept('elif'));
    if (this.#accept('else')) otherwise = this.#list('fi', false);
    this.#expect('fi');
    return { kind: 'if', clauses, otherwise, redirections: this.#redirections() };
  }

  #loop(opening: 'while' | 'until'): Command {
    this.#take();
    const condition = this.#list('do', false);
    const body = this.#doGroup();
    return { kind: 'loop', until: opening === 'until', condition, body, redirections: this.#redirections() };
  }

  #doGroup(): Command {
    this.#expect('do');
    const body = this.#list('done', false);
    this.#expect('done');
    return body;
  }

  #for(): Command {
    this.#take();
    const name = this.#literalWord();
    if (name === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new ShellSyntaxError('bad for loop variable', this.#peek().line, this.#peek().kind === 'end');
    }
    this.#take();
    this.#skipNewlines();
    const words = this.#accept('in') ? this.#words() : undefined;
    if (this.#isOperator(';')) this.#take();
    this.#skipNewlines();
    return { kind: 'for', name, words, body: this.#doGroup(), redirections: this.#redirections() };
  }

  #words(): Word[] {
    const words: Word[] = [];
    for (let token = this.#peek(); token.kind === 'word'; token = this.#peek()) {
      words.push(token.word);
      this.#take();
    }
    return words;
  }

  #case(): Command {
    this.#take();
    if (this.#peek().kind !== 'word') this.#unexpected('word');
    const subject = this.#word();
    this.#skipNewlines();
    this.#expect('in');
    this.#skipNewlines();
    const items: CaseItem[] = [];
    while (!this.#isNext('esac')) items.push(this.#caseItem());
    this.#take();
    return { kind: 'case', subject, items, redirections: this.#redirections() };
  }

  #caseItem(): CaseItem {
    this.#accept('(');
    const patterns = [this.#casePattern()];
    while (this.#isOperator('|')) {
      this.#take();
      patterns.push(this.#casePattern());
    }
    this.#expect(')');
    const body = this.#list('esac');
    const fallsThrough = this.#isOperator(';&');
    if (fallsThrough || this.#isOperator(';;')) this.#take();
    else if (!this.#isNext('esac')) this.#unexpected(';;');
    this.#skipNewlines();
    return { patterns, body, fallsThrough };
  }

  #casePattern(): Word {
    if (this.#peek().kind !== 'word') this.#unexpected(this.#peek().kind === 'end' ? ')' : undefined);
    return this.#word();
  }

  #word(): Word {
    const token = this.#peek();
    if (token.kind !== 'word') return this.#unexpected();
    this.#take();
    return token.word;
  }

  /** The text of the next token if it is a word without quotes and expansions. */
  #literalWord(): string | undefined {
    const token = this.#peek();
    return token.kind === 'word' ? textOf(token) : undefined;
  }

  #functionKeyword(): Command {
    this.#take();
    const name = this.#literalWord();
    if (name === undefined) return this.#unexpected();
    this.#take();
    if (this.#accept('(')) this.#expect(')');
    return this.#functionBody(name);
  }

  #functionBody(name: string): Command {
    this.#skipNewlines();
    return { kind: 'function', name, body: this.#command() };
  }

  #simple(): Command {
    const { line } = this.#peek();
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirections: Redirection[] = [];
    for (let token = this.#peek(); ; token = this.#peek()) {
      if (token.kind === 'redirection') redirections.push(this.#redirection());
      else if (token.kind === 'word') {
        if (words.length === 0 && redirections.length === 0 && CLOSING.has(keywordOf(token) ?? '')) break;
        this.#take();
        const assignment = words.length === 0 ? splitAssignment(token.word) : undefined;
        if (assignment) assignments.push(assignment);
        else words.push(token.word);
        if (words.length === 1 && textOf(token) === '[[') words.push(...this.#testWords());
        const name = words.length === 1 && assignments.length === 0 ? textOf(token) : undefined;
        if (name !== undefined && this.#isOperator('(')) return this.#function(name);
      } else break;
    }
    if (words.length + assignments.length + redirections.length === 0) this.#unexpected();
    return { kind: 'simple', assignments, words, redirections, line };
  }

  /** What stands between `[[` and `]]`; `&&`, `||`, `<`, `>` and parentheses are words there. */
  #testWords(): Word[] {
    const words: Word[] = [];
    for (let isClosed = false; !isClosed; ) {
      const token = this.#take();
      if (token.kind === 'word') words.push(token.word);
      else if (token.kind === 'operator' && /^(&&|\|\||[()])$/.test(token.text))
        words.push(literal(token.text));
      else if (token.kind === 'redirection' && /^[<>]$/.test(token.operator))
        words.push(literal(token.operator));
      else if (token.kind !== 'newline') this.#unexpectedToken(token, ']]');
      isClosed = textOf(token) === ']]';
    }
    return words;
  }

  #function(name: string): Command {
    this.#take();
    this.#expect(')');
    if (!/^[^\s"'$`\\=]+$/.test(name)) throw new ShellSyntaxError('bad function name', this.#peek().line);
    return this.#functionBody(name);
  }

  #redirections(): Redirection[] {
    const redirections: Redirection[] = [];
    while (this.#peek().kind === 'redirection') redirections.push(this.#redirection());
    return redirections;
  }

  #redirection(): Redirection {
    const token = this.#take();
    if (token.kind !== 'redirection') return this.#unexpected();
    const { operator, fd } = token;
    const target = this.#word();
    return operator === '<<' || operator === '<<-'
      ? this.#hereDocument(operator, fd, target)
      : { operator, fd, target };
  }

  #hereDocument(operator: RedirectionOperator, fd: number, target: Word): Redirection {
    const document: PendingHereDocument = {
      delimiter: target.map((part) => (part.kind === 'literal' ? part.text : '')).join(''),
      quoted: target.some((part) => part.kind === 'literal' && part.quoted),
      stripTabs: operator === '<<-',
      body: [{ kind: 'literal', text: '', quoted: true }],
    };
    this.#lexer.expectHereDocument(document);
    return {
      operator: '<<',
      fd,
      get target() {
        return document.body;
      },
    };
  }
}

/** Reserved words that can't begin a command. */
const CLOSING: ReadonlySet<string> = new Set(['then', 'else', 'elif', 'fi', 'do', 'done', 'esac', '}', 'in']);

const literal = (text: string): Word => [{ kind: 'literal', text, quoted: false }];

function sequenceOf(items: readonly SequenceItem[]): Command {
  const [first] = items;
  if (first === undefined) return SKIP;
  return items.length === 1 && !first.background ? first.command : { kind: 'sequence', items };
}
