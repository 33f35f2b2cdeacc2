import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** Offsets are in UTF-16 units. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** The whole match, then each group; undefined for a group that did not take part. */
  readonly groups: readonly (string | undefined)[];
}

/** Default: the first alternative that matches, `.` without newlines, case-sensitive. */
export interface RegexOptions {
  readonly ignoreCase?: boolean;
  /** `^` and `$` also match at line ends. */
  readonly multiline?: boolean;
  /** `.` also matches newlines. */
  readonly dotAll?: boolean;
  /** The longest match wins, as in POSIX (XBD 9.1). */
  readonly longest?: boolean;
}

/**
 * In program steps, about one per character, with repetitions expanded. Matching time is proportional to size times
 * text.
 */
export const MAX_REGEX_SIZE = 1000;

/** Maximum length in UTF-16 units. */
const MAX_SOURCE = 10_000;

/** Throws RangeError for an expression that is too long, before it is parsed. */
export function checkLength(source: string): void {
  if (source.length > MAX_SOURCE)
    throw new RangeError(`it is too long: ${source.length} characters, ${MAX_SOURCE} are allowed`);
}

/**
 * Matches in linear time. RE2 syntax (github.com/google/re2/wiki/Syntax) has no backreferences, and no assertions such
 * as `(?=…)`.
 */
export class Regex {
  readonly size: number;
  readonly #compiled: RE2JS;

  /** Throws SyntaxError for an invalid expression, RangeError for one that is too large. */
  constructor(source: string, options: RegexOptions = {}) {
    checkLength(source);
    this.size = sizeOf(source);
    if (this.size > MAX_REGEX_SIZE)
      throw new RangeError(`it is too large: ${this.size} steps, ${MAX_REGEX_SIZE} are allowed`);
    const { RE2JS: Engine } = loadRegexEngine();
    const flags =
      (options.ignoreCase ? Engine.CASE_INSENSITIVE : 0) |
      (options.multiline ? Engine.MULTILINE : 0) |
      (options.dotAll ? Engine.DOTALL : 0) |
      (options.longest ? Engine.LONGEST_MATCH : 0);
    try {
      this.#compiled = Engine.compile(source, flags);
    } catch (error) {
      throw new SyntaxError((error as Error).message.replace(/^error parsing regexp: /, ''));
    }
  }

  test(text: string): boolean {
    return this.#compiled.test(text);
  }

  /** The first match at or after an offset; `^` still means the beginning of the text. */
  find(text: string, from = 0): RegexMatch | undefined {
    const matcher = this.#compiled.matcher(text);
    if (!matcher.find(from)) return undefined;
    const groups: (string | undefined)[] = [];
    for (let group = 0; group <= matcher.groupCount(); group++)
      groups.push(matcher.group(group) ?? undefined);
    return { start: matcher.start(), end: matcher.end(), groups };
  }
}

const require = createRequire(import.meta.url);

/** Loads the library with the first expression, because it would delay the start of a server. */
export const loadRegexEngine = (): typeof import('re2js') => require('re2js');

/** Parts of an expression: escapes and sets count as one step. */
const ATOM =
  /\\(?:Q(?:[^\\]|\\(?!E))*(?:\\E)?|x\{[^}]*\}|[pP]\{[^}]*\}|[\s\S])|\[\^?\]?(?:\\[\s\S]|\[:\w*:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/y;

/** Upper bound of the steps: `(ab){3}c` has 7. */
function sizeOf(source: string): number {
  const outer: number[] = [];
  let total = 0;
  let last = 0;
  ATOM.lastIndex = 0;
  for (let found = ATOM.exec(source); found !== null; found = ATOM.exec(source)) {
    const [text, least, most] = found;
    if (text === '(') {
      outer.push(total);
      total = 0;
      last = 0;
    } else if (text === ')') {
      last = total + 1;
      total = (outer.pop() ?? 0) + last;
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most || 0), 1);
      total += last * (times - 1);
      last *= times;
    } else {
      last = text.startsWith('\\Q') ? text.length : 1;
      total += last;
    }
  }
  return total + outer.reduce((sum, one) => sum + one, 0);
}
