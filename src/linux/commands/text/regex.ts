import { ToolError } from '../kit/tool.js';

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  xdigit: 'A-Fa-f0-9',
};

/** What stands for itself in the pattern at hand, and needs a backslash in JavaScript's. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * A POSIX regular expression (regex(7)), basic or extended, as one of JavaScript's. It finds the first alternative
 * that fits, not the longest.
 */
export function posixRegex(pattern: string, isExtended: boolean, flags = ''): RegExp {
  try {
    return new RegExp(translate(pattern, isExtended), flags);
  } catch {
    throw new ToolError(`bad regex '${pattern}'`, 2);
  }
}

/** A pattern that finds the text itself. */
export const literalRegex = (text: string, flags = ''): RegExp => new RegExp(escaped(text), flags);

function translate(pattern: string, isExtended: boolean): string {
  let result = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    // At the beginning there is nothing to repeat: a star is a star.
    const isStart = result === '' || /(?:^|[^\\])(?:\(|\|)$|^\^$/.test(result);
    if (char === '[') {
      const end = bracketEnd(pattern, at);
      result += bracket(pattern.slice(at + 1, end));
      at = end;
    } else if (char === '\\') {
      at++;
      result += afterBackslash(pattern[at] ?? '\\', isExtended);
    } else if (char === '*' && isStart) result += '\\*';
    else if (char === '^') result += isExtended || isStart ? '^' : '\\^';
    else if (char === '$') result += isExtended || isLast(pattern, at) ? '$' : '\\$';
    else if (isExtended ? '.*+?(){}|'.includes(char) : '.*'.includes(char)) result += char;
    else result += escaped(char);
  }
  return result;
}

const isLast = (pattern: string, at: number): boolean => /^(\\\)|\\\||$)/.test(pattern.slice(at + 1));

function afterBackslash(char: string, isExtended: boolean): string {
  if (!isExtended && '(){}|+?'.includes(char)) return char;
  if (/[1-9wWsSbB]/.test(char)) return `\\${char}`;
  if (char === '<' || char === '>') return char === '<' ? '\\b(?=\\w)' : '\\b(?<=\\w)';
  if (char === 'n' || char === 't') return `\\${char}`;
  return escaped(char);
}

/** Where a bracket expression ends: a `]` at its beginning and classes are part of it. */
function bracketEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern.startsWith('[:', at)) at = pattern.indexOf(':]', at) + 1 || pattern.length;
  }
  if (at >= pattern.length) throw new ToolError(`bad regex '${pattern}'`, 2);
  return at;
}

function bracket(content: string): string {
  const isNegated = content.startsWith('^');
  const set = (isNegated ? content.slice(1) : content).replace(
    /\[:(\w+):\]|[\\\][^]/g,
    (text, name: string | undefined) => (name === undefined ? `\\${text}` : (CLASSES[name] ?? '')),
  );
  return isNegated ? `[^${set}]` : `[${set}]`;
}
