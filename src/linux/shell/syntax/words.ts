import { ownText } from '../../process/memory.js';
import type { Command, Parameter, ParameterOperation, Word, WordPart } from './ast.js';
import { decodeEscape } from './escapes.js';
import type { Scanner } from './scanner.js';

/** Parses the commands in `$(…)` and backquotes for words. */
export interface CommandReader {
  /** Reads commands up to the `)` that ends the substitution, and past it. */
  substitution(scanner: Scanner): Command;
  backquoted(text: string, from: Scanner): Command;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const PARAMETER = /[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]/y;
const METACHARACTERS = ' \t\n;&|<>()';
/** Characters without a meaning for the shell, outside and inside of quotes: the lexer reads them in long pieces. */
const PLAIN = /[^\s'"\\$`;&|<>(){}:/]{1,65536}/y;
const PLAIN_QUOTED = /[^'"\\$`(){}:/]{1,65536}/y;

type Quoting = 'none' | 'double' | 'here-document';

/** Reads one word; the next character is not a metacharacter. */
export function readWord(scanner: Scanner, reader: CommandReader): Word {
  const parts = new PartList(scanner);
  while (!scanner.done && !METACHARACTERS.includes(scanner.peek())) readUnquoted(scanner, reader, parts);
  return parts.word;
}

export function readHereDocument(scanner: Scanner, reader: CommandReader): Word {
  const parts = new PartList(scanner);
  while (!scanner.done) readQuoted(scanner, reader, parts, 'here-document');
  return parts.wordOrEmpty;
}

function readUnquoted(scanner: Scanner, reader: CommandReader, parts: PartList): void {
  const char = scanner.take();
  if (char === "'") parts.text(readSingleQuotes(scanner), true);
  else if (char === '"') readDoubleQuotes(scanner, reader, parts);
  else if (char === '\\') readBackslash(scanner, parts);
  else if (char === '$' && scanner.accept("'")) parts.text(readAnsiQuotes(scanner), true);
  else if (char === '$') readDollar(scanner, reader, parts, 'none');
  else if (char === '`') parts.add(readBackquotes(scanner, reader, 'none'));
  else parts.text(char + scanner.match(PLAIN), false);
}

function readSingleQuotes(scanner: Scanner): string {
  const end = scanner.text.indexOf("'", scanner.position);
  if (end < 0) unterminated(scanner);
  const text = scanner.text.slice(scanner.position, end);
  scanner.position = end + 1;
  return text;
}

function readDoubleQuotes(scanner: Scanner, reader: CommandReader, parts: PartList): void {
  parts.text('', true);
  while (!scanner.accept('"')) {
    if (scanner.done) unterminated(scanner);
    readQuoted(scanner, reader, parts, 'double');
  }
}

/** One part of a text in which only `$`, backquotes and some backslashes are special. */
function readQuoted(scanner: Scanner, reader: CommandReader, parts: PartList, quoting: Quoting): void {
  const char = scanner.take();
  if (char === '$') readDollar(scanner, reader, parts, quoting);
  else if (char === '`') parts.add(readBackquotes(scanner, reader, quoting));
  else if (char !== '\\') parts.text(char + scanner.match(PLAIN_QUOTED), true);
  else if (scanner.accept('\n')) return;
  else if (`$\`\\${quoting === 'double' ? '"' : ''}`.includes(scanner.peek()) && !scanner.done) {
    parts.text(scanner.take(), true);
  } else parts.text('\\', true);
}

function readBackslash(scanner: Scanner, parts: PartList): void {
  if (scanner.accept('\n')) return;
  parts.text(scanner.done ? '\\' : scanner.take(), true);
}

function readAnsiQuotes(scanner: Scanner): string {
  let text = '';
  while (!scanner.accept("'")) {
    if (scanner.done) unterminated(scanner);
    const char = scanner.take();
    if (char !== '\\') text += char;
    else if (scanner.accept("'")) text += "'";
    else if (scanner.accept('"')) text += '"';
    else {
      const { text: decoded, length } = decodeEscape(scanner.text, scanner.position);
      text += decoded;
      scanner.position += length;
    }
  }
  return text;
}

function readDollar(scanner: Scanner, reader: CommandReader, parts: PartList, quoting: Quoting): void {
  const quoted = quoting !== 'none';
  if (scanner.peek() === '(') parts.add(readParenthesis(scanner, reader, quoted));
  else if (scanner.accept('{')) parts.add(scanner.nested(() => readBraces(scanner, reader, quoting)));
  else {
    const name = scanner.match(NAME) || scanner.match(/[0-9@*#?$!-]/y);
    if (name === '') parts.text('$', quoted);
    else parts.add({ kind: 'parameter', name, quoted, operation: undefined });
  }
}

/** `$((…))`, or `$(…)` if it doesn't end with `))`. */
function readParenthesis(scanner: Scanner, reader: CommandReader, quoted: boolean): WordPart {
  const start = scanner.position;
  if (scanner.accept('((')) {
    const expression = readArithmetic(scanner, reader);
    if (expression) return { kind: 'arithmetic', expression, quoted };
    scanner.position = start;
  }
  scanner.accept('(');
  return { kind: 'substitution', command: scanner.nested(() => reader.substitution(scanner)), quoted };
}

/** Undefined if it closes a parenthesis that it did not open: it is a command then. */
function readArithmetic(scanner: Scanner, reader: CommandReader): Word | undefined {
  const parts = new PartList(scanner);
  for (let depth = 0; ; ) {
    if (scanner.done) scanner.fail("missing '))'");
    if (depth === 0 && scanner.accept('))')) return parts.wordOrEmpty;
    const char = scanner.peek();
    if (char === '(') depth++;
    if (char === ')' && --depth < 0) return undefined;
    if (char === '"') scanner.take();
    else readQuoted(scanner, reader, parts, 'double');
  }
}

function readBackquotes(scanner: Scanner, reader: CommandReader, quoting: Quoting): WordPart {
  const escapable = quoting === 'double' ? '$`\\"' : '$`\\';
  let text = '';
  while (!scanner.accept('`')) {
    if (scanner.done) scanner.fail('EOF in backquote substitution');
    const char = scanner.take();
    text += char === '\\' && !scanner.done && escapable.includes(scanner.peek()) ? scanner.take() : char;
  }
  return { kind: 'substitution', command: reader.backquoted(text, scanner), quoted: quoting !== 'none' };
}

function readBraces(scanner: Scanner, reader: CommandReader, quoting: Quoting): Parameter {
  const quoted = quoting !== 'none';
  const rest = (name: string, operation: ParameterOperation | undefined): Parameter => {
    if (scanner.accept('}')) return { kind: 'parameter', name, quoted, operation };
    skipBadSubstitution(scanner);
    return { kind: 'parameter', name, quoted, operation: { kind: 'bad' } };
  };
  if (scanner.peek() === '#' && !/[}:?=+%#-]/.test(scanner.peek(1))) {
    scanner.take();
    return rest(scanner.match(PARAMETER), { kind: 'length' });
  }
  if (
    scanner.peek() === '#' &&
    /^#[#?-]\}/.test(scanner.text.slice(scanner.position, scanner.position + 3))
  ) {
    scanner.take();
    return rest(scanner.take(), { kind: 'length' });
  }
  const name = scanner.match(PARAMETER);
  if (name === '') return rest(name, { kind: 'bad' });
  return rest(name, readOperation(scanner, reader, quoting));
}

function readOperation(
  scanner: Scanner,
  reader: CommandReader,
  quoting: Quoting,
): ParameterOperation | undefined {
  const word = (ends = '}') => readOperand(scanner, reader, quoting, ends);
  const pattern = (ends = '}') => readOperand(scanner, reader, 'none', ends);
  const trim = /(##?|%%?)/y;
  const choice = scanner.match(/:?[-=?+]/y);
  if (choice !== '') {
    const kinds = { '-': 'default', '=': 'assign', '?': 'error', '+': 'alternative' } as const;
    const kind = kinds[choice.slice(-1) as keyof typeof kinds];
    return { kind, colon: choice.length === 2, word: word() };
  }
  const side = scanner.match(trim);
  if (side !== '') {
    const from = side.startsWith('#') ? 'start' : 'end';
    return { kind: 'trim', from, longest: side.length === 2, pattern: pattern() };
  }
  if (scanner.accept(':')) {
    const offset = word(':}');
    return { kind: 'slice', offset, length: scanner.accept(':') ? word() : undefined };
  }
  if (scanner.accept('/')) {
    const all = scanner.accept('/');
    const found = pattern('/}');
    return { kind: 'replace', all, pattern: found, replacement: scanner.accept('/') ? word() : [] };
  }
  return undefined;
}

/** The word in `${name-word}`, up to one of the `ends`. Inner quotes are as outside of double quotes. */
function readOperand(scanner: Scanner, reader: CommandReader, quoting: Quoting, ends: string): Word {
  const parts = new PartList(scanner);
  while (!ends.includes(scanner.peek())) {
    if (scanner.done) scanner.fail("missing '}'");
    if (quoting === 'none') readUnquoted(scanner, reader, parts);
    else if (scanner.accept('"')) readDoubleQuotes(scanner, reader, parts);
    else if (scanner.accept('\\}')) parts.text('}', true);
    else readQuoted(scanner, reader, parts, quoting);
  }
  if (scanner.done) scanner.fail("missing '}'");
  return parts.word;
}

function skipBadSubstitution(scanner: Scanner): void {
  const end = scanner.text.indexOf('}', scanner.position);
  if (end < 0) {
    scanner.position = scanner.text.length;
    scanner.fail("missing '}'");
  }
  scanner.position = end + 1;
}

function unterminated(scanner: Scanner): never {
  scanner.position = scanner.text.length;
  return scanner.fail('unterminated quoted string');
}

class PartList {
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
