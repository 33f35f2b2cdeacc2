import { checkLength, Regex, type RegexMatch } from '../../../base/input/regex.js';
import type { Process } from '../../process/process.js';
import { ToolError } from '../kit/tool.js';

/** Cost of a search, as steps of the expression times characters of the text; more is refused. */
const MAX_COST = 8_000_000;
/** Steps times characters that cost as much as reading one byte. */
const COST_OF_BYTE = 8;

/** The pattern of `grep`, `sed` and `awk` for a text in which each character is a byte. */
export interface TextPattern {
  /** Throws ToolError for a text that is too long for the expression. */
  test(text: string): boolean;
  find(text: string, from?: number): RegexMatch | undefined;
  /** The cost of searching a text of this length, in bytes of work. */
  workOf(length: number): number;
}

/**
 * A POSIX regular expression (regex(7)), basic or extended; the longest match wins. Refuses backreferences in the
 * expression, as in `\(a\)\1`: they can't be matched in linear time. `\<` and `\>` mean `\b`.
 */
export function posixRegex(pattern: string, isExtended: boolean, ignoreCase = false): TextPattern {
  try {
    checkLength(pattern);
    return new PosixPattern(
      new Regex(translate(pattern, isExtended), { ignoreCase, dotAll: true, longest: true }),
    );
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
    const reason = error instanceof RangeError ? `: ${error.message}` : '';
    throw new ToolError(`bad regex '${shown}'${reason}`, 2);
  }
}

class PosixPattern implements TextPattern {
  readonly #regex: Regex;

  constructor(regex: Regex) {
    this.#regex = regex;
  }

  test(text: string): boolean {
    this.#check(text);
    return this.#regex.test(text);
  }

  find(text: string, from = 0): RegexMatch | undefined {
    this.#check(text);
    return this.#regex.find(text, from);
  }

  workOf(length: number): number {
    return Math.ceil((this.#regex.size * length) / COST_OF_BYTE);
  }

  #check(text: string): void {
    const most = Math.floor(MAX_COST / Math.max(1, this.#regex.size));
    if (text.length > most)
      throw new ToolError(`line too long for this regex: ${text.length} bytes, ${most} are allowed`, 2);
  }
}

export function literalPattern(wanted: string, ignoreCase: boolean): TextPattern {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const folded = fold(wanted);
  const find = (text: string, from = 0): RegexMatch | undefined => {
    const start = fold(text).indexOf(folded, from);
    const end = start + wanted.length;
    return start < 0 ? undefined : { start, end, groups: [text.slice(start, end)] };
  };
  return { test: (text) => fold(text).includes(folded), find, workOf: (length) => length };
}

/** All matches of a text from left to right; ignores an empty one directly after another (POSIX sed). */
export async function* matchesIn(
  process: Process,
  pattern: TextPattern,
  text: string,
): AsyncGenerator<RegexMatch> {
  let lastEnd = -1;
  for (let from = 0; from <= text.length; ) {
    await process.work(pattern.workOf(text.length - from));
    const match = pattern.find(text, from);
    if (match === undefined) return;
    const isEmpty = match.start === match.end;
    if (!isEmpty || match.start !== lastEnd) yield match;
    lastEnd = match.end;
    from = isEmpty ? match.end + 1 : match.end;
  }
}

/** Translates a POSIX expression into RE2's syntax. */
function translate(pattern: string, isExtended: boolean): string {
  let result = '';
  // A star at the beginning of a branch is literal: there is nothing to repeat.
  let isStart = true;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    const wasStart = isStart;
    isStart = false;
    if (char === '[') {
      const end = bracketEnd(pattern, at);
      result += bracket(pattern.slice(at + 1, end));
      at = end;
    } else if (char === '\\') {
      const escaping = pattern[++at] ?? '\\';
      isStart = !isExtended && (escaping === '(' || escaping === '|');
      result += afterBackslash(escaping, isExtended);
    } else if (char === '*' && wasStart) result += '\\*';
    else if (char === '^' && (isExtended || wasStart)) {
      result += '^';
      isStart = true;
    } else if (char === '$') result += isExtended || isLast(pattern, at) ? '$' : '\\$';
    else if (isExtended ? '.*+?(){}|'.includes(char) : '.*'.includes(char)) {
      result += char;
      isStart = char === '(' || char === '|';
    } else result += escaped(char);
  }
  return result;
}

const escaped = (char: string): string => (/[\\^$.*+?()[\]{}|]/.test(char) ? `\\${char}` : char);

const isLast = (pattern: string, at: number): boolean =>
  at + 1 === pattern.length || pattern.startsWith('\\)', at + 1) || pattern.startsWith('\\|', at + 1);

function afterBackslash(char: string, isExtended: boolean): string {
  if (!isExtended && '(){}|+?'.includes(char)) return char;
  if (/[1-9]/.test(char)) throw new RangeError(`backreferences such as \\${char} are not supported`);
  if (/[wWsSbB]/.test(char)) return `\\${char}`;
  if (char === '<' || char === '>') return '\\b';
  if (char === 'n' || char === 't') return `\\${char}`;
  return escaped(char);
}

/** The end of a bracket expression: a `]` at its beginning and classes are part of it. */
function bracketEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern.startsWith('[:', at)) at = pattern.indexOf(':]', at) + 1 || pattern.length;
  }
  if (at >= pattern.length) throw new SyntaxError('missing ]');
  return at;
}

/** RE2 has the classes of POSIX; other brackets and backslashes are literal. */
function bracket(content: string): string {
  const isNegated = content.startsWith('^');
  const set = (isNegated ? content.slice(1) : content).replace(/\[:\w+:\]|[\\\][^]/g, (text) =>
    text.length > 1 ? text : `\\${text}`,
  );
  return isNegated ? `[^${set}]` : `[${set}]`;
}
