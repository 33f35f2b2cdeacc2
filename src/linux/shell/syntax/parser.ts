import { costOfText, ownText } from '../../process/memory.js';
import type { CaseItem, Command, GroupCommand, IfCommand, SequenceItem, Word } from './ast.js';
import { Scanner } from './scanner.js';
import { CLOSING_WORDS, readRedirections, readSimpleCommand } from './simple-command.js';
import { ShellSyntaxError } from './syntax-error.js';
import { TokenStream } from './token-stream.js';
import { keywordOf, textOf } from './tokens.js';

const SKIP: Command = { kind: 'sequence', items: [] };

type Closing = string | undefined;

/** Parses a script, one complete command after another, as a shell reads them. */
export interface ScriptParser {
  /** The next complete command (up to the end of its line); undefined at the end. Throws ShellSyntaxError. */
  next(): Command | undefined;
  /** Offset of the next unread character. */
  readonly position: number;
  /** Memory of the last command, in bytes. */
  readonly cost: number;
  /** The present line, from 1. */
  readonly line: number;
}

/** `partial`: the text may be continued, so open constructs at its end are an incomplete command. */
export function parseScript(
  text: string,
  options: { firstLine?: number; partial?: boolean } = {},
): ScriptParser {
  const scanner = new Scanner(text, options);
  const parser = new Parser(scanner);
  return {
    next: () => parser.completeCommand(),
    get position() {
      return scanner.position;
    },
    get cost() {
      return scanner.cost;
    },
    get line() {
      return scanner.line;
    },
  };
}

class Parser {
  readonly #scanner: Scanner;
  readonly #tokens: TokenStream;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
    this.#tokens = new TokenStream(scanner, {
      substitution: (inner) => new Parser(inner).upTo(')'),
      backquoted: (text, from) =>
        from.nested(() =>
          new Parser(new Scanner(text, { firstLine: from.line, within: from })).upTo(undefined),
        ),
    });
  }

  completeCommand(): Command | undefined {
    this.#scanner.beginCommand();
    this.#tokens.skipNewlines();
    if (this.#tokens.peek().kind === 'end') return undefined;
    const items = this.#lineOfItems();
    const token = this.#tokens.peek();
    if (token.kind !== 'newline' && token.kind !== 'end') this.#tokens.unexpected();
    if (token.kind === 'newline') this.#tokens.take();
    return sequenceOf(items);
  }

  /** A list up to a closing operator, or to the end of the text. */
  upTo(closing: Closing): Command {
    const body = this.#list(closing);
    if (closing === undefined && this.#tokens.peek().kind !== 'end') this.#tokens.unexpected();
    if (closing !== undefined) this.#tokens.expect(closing);
    return body;
  }

  /** Commands on any number of lines, up to a token that can't begin one. The error for an empty list has `closing`. */
  #list(closing: Closing, mayBeEmpty = true): Command {
    const items: SequenceItem[] = [];
    this.#tokens.skipNewlines();
    while (!this.#endsList()) {
      for (const item of this.#lineOfItems()) items.push(item);
      if (this.#tokens.peek().kind !== 'newline') break;
      this.#tokens.skipNewlines();
    }
    if (items.length === 0 && !mayBeEmpty)
      this.#tokens.unexpected(this.#tokens.peek().kind === 'end' ? closing : undefined);
    return sequenceOf(items);
  }

  /** Whether the next token only ends a compound command. */
  #endsList(): boolean {
    const token = this.#tokens.peek();
    if (token.kind === 'end') return true;
    if (token.kind === 'operator') return token.text !== '(' && token.text !== '&&' && token.text !== '||';
    const keyword = keywordOf(token);
    return keyword !== undefined && CLOSING_WORDS.has(keyword);
  }

  #lineOfItems(): SequenceItem[] {
    const items: SequenceItem[] = [];
    do {
      const { start } = this.#tokens.peek();
      const command = this.#andOr();
      this.#tokens.peek();
      const background = this.#tokens.isOperator('&');
      const text = background ? ownText(this.#scanner.text.slice(start, this.#tokens.end).trim()) : '';
      items.push({ command, background, text });
      if (!background && !this.#tokens.isOperator(';')) break;
      this.#tokens.take();
    } while (!this.#endsLine());
    return items;
  }

  #endsLine(): boolean {
    return this.#tokens.peek().kind === 'newline' || this.#endsList();
  }

  #andOr(): Command {
    let left = this.#pipeline();
    for (;;) {
      const operator = this.#tokens.isOperator('&&')
        ? '&&'
        : this.#tokens.isOperator('||')
          ? '||'
          : undefined;
      if (operator === undefined) return left;
      this.#tokens.take();
      this.#tokens.skipNewlines();
      left = { kind: 'and-or', operator, left, right: this.#pipeline() };
    }
  }

  #pipeline(): Command {
    let negated = false;
    while (this.#tokens.accept('!')) negated = !negated;
    const stages = [this.#command()];
    while (this.#tokens.isOperator('|')) {
      this.#tokens.take();
      this.#tokens.skipNewlines();
      stages.push(this.#command());
    }
    return stages.length === 1 && !negated ? (stages[0] as Command) : { kind: 'pipeline', stages, negated };
  }

  #command(): Command {
    return this.#scanner.nested(
      () => this.#compound() ?? readSimpleCommand(this.#tokens, (name) => this.#functionBody(name)),
    );
  }

  #compound(): Command | undefined {
    const opening = textOf(this.#tokens.peek());
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
    this.#tokens.take();
    const body = this.#list(closing, false);
    this.#tokens.expect(closing);
    return { kind, body, redirections: readRedirections(this.#tokens) };
  }

  #if(): IfCommand {
    this.#tokens.take();
    const clauses: { condition: Command; body: Command }[] = [];
    let otherwise: Command | undefined;
    do {
      const condition = this.#list('then', false);
      this.#tokens.expect('then');
      clauses.push({ condition, body: this.#list('fi', false) });
    } while (this.#tokens.accept('elif'));
    if (this.#tokens.accept('else')) otherwise = this.#list('fi', false);
    this.#tokens.expect('fi');
    return { kind: 'if', clauses, otherwise, redirections: readRedirections(this.#tokens) };
  }

  #loop(opening: 'while' | 'until'): Command {
    this.#tokens.take();
    const condition = this.#list('do', false);
    const body = this.#doGroup();
    return {
      kind: 'loop',
      until: opening === 'until',
      condition,
      body,
      redirections: readRedirections(this.#tokens),
    };
  }

  #doGroup(): Command {
    this.#tokens.expect('do');
    const body = this.#list('done', false);
    this.#tokens.expect('done');
    return body;
  }

  #for(): Command {
    this.#tokens.take();
    const name = this.#literalWord();
    if (name === undefined || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new ShellSyntaxError(
        'bad for loop variable',
        this.#tokens.peek().line,
        this.#tokens.peek().kind === 'end',
      );
    }
    this.#tokens.take();
    this.#tokens.skipNewlines();
    const words = this.#tokens.accept('in') ? this.#words() : undefined;
    if (this.#tokens.isOperator(';')) this.#tokens.take();
    this.#tokens.skipNewlines();
    return { kind: 'for', name, words, body: this.#doGroup(), redirections: readRedirections(this.#tokens) };
  }

  #words(): Word[] {
    const words: Word[] = [];
    for (let token = this.#tokens.peek(); token.kind === 'word'; token = this.#tokens.peek()) {
      words.push(token.word);
      this.#tokens.take();
    }
    return words;
  }

  #case(): Command {
    this.#tokens.take();
    if (this.#tokens.peek().kind !== 'word') this.#tokens.unexpected('word');
    const subject = this.#tokens.word();
    this.#tokens.skipNewlines();
    this.#tokens.expect('in');
    this.#tokens.skipNewlines();
    const items: CaseItem[] = [];
    while (!this.#tokens.isNext('esac')) items.push(this.#caseItem());
    this.#tokens.take();
    return { kind: 'case', subject, items, redirections: readRedirections(this.#tokens) };
  }

  #caseItem(): CaseItem {
    this.#tokens.accept('(');
    const patterns = [this.#casePattern()];
    while (this.#tokens.isOperator('|')) {
      this.#tokens.take();
      patterns.push(this.#casePattern());
    }
    this.#tokens.expect(')');
    const body = this.#list('esac');
    const fallsThrough = this.#tokens.isOperator(';&');
    if (fallsThrough || this.#tokens.isOperator(';;')) this.#tokens.take();
    else if (!this.#tokens.isNext('esac')) this.#tokens.unexpected(';;');
    this.#tokens.skipNewlines();
    return { patterns, body, fallsThrough };
  }

  #casePattern(): Word {
    if (this.#tokens.peek().kind !== 'word')
      this.#tokens.unexpected(this.#tokens.peek().kind === 'end' ? ')' : undefined);
    return this.#tokens.word();
  }

  #literalWord(): string | undefined {
    const token = this.#tokens.peek();
    return token.kind === 'word' ? textOf(token) : undefined;
  }

  #functionKeyword(): Command {
    this.#tokens.take();
    const name = this.#literalWord();
    if (name === undefined) return this.#tokens.unexpected();
    this.#tokens.take();
    if (this.#tokens.accept('(')) this.#tokens.expect(')');
    return this.#functionBody(name);
  }

  #functionBody(name: string): Command {
    const before = this.#scanner.cost;
    this.#tokens.skipNewlines();
    const body = this.#command();
    return { kind: 'function', name, body, cost: costOfText(name) + this.#scanner.cost - before };
  }
}

function sequenceOf(items: readonly SequenceItem[]): Command {
  const [first] = items;
  if (first === undefined) return SKIP;
  return items.length === 1 && !first.background ? first.command : { kind: 'sequence', items };
}
