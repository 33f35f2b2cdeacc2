import { ShellError } from '../execution/control-flow.js';

/** A pattern of POSIX 2.13 for `case`, `${x#…}` and file names. */
export type Pattern = readonly PatternItem[];

export type PatternItem =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'set'; readonly negated: boolean; readonly matches: (char: string) => boolean };

/** A piece of text; only unquoted text has special characters. */
export interface PatternText {
  readonly text: string;
  readonly quoted: boolean;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class of control characters
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

interface PatternChar {
  readonly char: string;
  readonly quoted: boolean;
}

/** A `[` that is never closed is literal (POSIX 2.13.1). */
export function compilePattern(texts: readonly PatternText[]): Pattern {
  const chars: PatternChar[] = [];
  for (const { text, quoted } of texts) for (const char of text) chars.push({ char, quoted });
  const items: PatternItem[] = [];
  const sets = new SetReader(chars);
  for (let at = 0; at < chars.length; ) {
    const { char, quoted } = chars[at++] as PatternChar;
    if (quoted) items.push({ kind: 'char', char });
    else if (char === '*') {
      if (items.at(-1)?.kind !== 'star') items.push({ kind: 'star' });
    } else if (char === '?') items.push({ kind: 'any' });
    else if (char === '[') {
      const set = sets.read(at);
      items.push(set?.item ?? { kind: 'char', char });
      at = set?.end ?? at;
    } else if (char === '\\' && at < chars.length)
      items.push({ kind: 'char', char: (chars[at++] as PatternChar).char });
    else items.push({ kind: 'char', char });
  }
  return items;
}

/** Whether the pattern has special characters. */
export const isMagic = (pattern: Pattern): boolean => pattern.some(({ kind }) => kind !== 'char');

/** The text that a pattern without special characters matches. */
export const literalOf = (pattern: Pattern): string =>
  pattern.map((item) => (item.kind === 'char' ? item.char : '')).join('');

/** The characters of a text: the text itself unless some take two units of UTF-16. */
export type Characters = string | readonly string[];

export const charactersOf = (text: string): Characters =>
  /[\ud800-\udbff][\udc00-\udfff]/.test(text) ? Array.from(text) : text;

/** Comparisons of a character with a part of a pattern in one search: more would block the others for too long. */
const MAX_STEPS = 1_000_000;
/** Comparisons before it lets other tasks run. */
const STEPS_AT_ONCE = 50_000;

/** Throws ShellError beyond MAX_STEPS. */
class Steps {
  #left = MAX_STEPS;
  #next = MAX_STEPS - STEPS_AT_ONCE;

  count(): void {
    if (--this.#left < 0) throw new ShellError('text too long for this pattern');
  }

  areMany(): boolean {
    if (this.#left > this.#next) return false;
    this.#next = this.#left - STEPS_AT_ONCE;
    return true;
  }
}

/** Whether the whole text matches. Throws ShellError for a text that is too long for the pattern. */
export function matchesPattern(pattern: Pattern, text: string): boolean {
  const chars = charactersOf(text);
  const steps = new Steps();
  let item = 0;
  let star = -1;
  let resume = 0;
  for (let at = 0; at < chars.length; ) {
    steps.count();
    const current = pattern[item];
    if (current?.kind === 'star') {
      star = item++;
      if (item === pattern.length) return true;
      resume = at;
    } else if (current && matchesItem(current, chars[at] as string)) {
      item++;
      at++;
    } else if (star >= 0) {
      item = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[item]?.kind === 'star') item++;
  return item === pattern.length;
}

/** The length of a match from one place, in characters: undefined without a match. */
export interface Fit {
  readonly shortest: number | undefined;
  readonly longest: number | undefined;
  /** Whether it reached the first star: the search has then tried every later place for the rest. */
  readonly reachedStar: boolean;
}

/** Searches texts for a pattern. Throws ShellError once that takes too long. */
export class Matcher {
  readonly #pattern: Pattern;
  readonly #firstStar: number;
  readonly #steps = new Steps();
  readonly #seen: Int32Array;
  #states: Int32Array;
  #next: Int32Array;

  constructor(pattern: Pattern) {
    this.#pattern = pattern;
    this.#firstStar = pattern.findIndex(({ kind }) => kind === 'star');
    this.#seen = new Int32Array(pattern.length + 1);
    this.#states = new Int32Array(pattern.length + 1);
    this.#next = new Int32Array(pattern.length + 1);
  }

  /**
   * The length of the match after a place, or with the direction -1 before it and backwards. Follows all alternatives
   * of the pattern in one pass; stops at the shortest unless a longer one is requested. Yields to other tasks.
   */
  *fit(
    chars: Characters,
    start: number,
    wanted: 'shortest' | 'longest',
    direction: 1 | -1 = 1,
  ): Generator<undefined, Fit> {
    const pattern = this.#pattern;
    const seen = this.#seen.fill(-1);
    let [shortest, longest]: [number | undefined, number | undefined] = [undefined, undefined];
    let reachedStar = false;
    let [count, nextCount] = [0, 0];
    /** Enters an item once per length, and skips stars. */
    const enter = (item: number, length: number): void => {
      for (let to = item; seen[to] !== length; to++) {
        this.#steps.count();
        seen[to] = length;
        this.#next[nextCount++] = to;
        if (to === this.#firstStar) reachedStar = true;
        if (pattern[to]?.kind !== 'star') break;
      }
    };
    enter(0, 0);
    for (let length = 0; nextCount > 0; length++) {
      if (this.#steps.areMany()) yield;
      [this.#states, this.#next] = [this.#next, this.#states];
      [count, nextCount] = [nextCount, 0];
      if (seen[pattern.length] === length) {
        shortest ??= length;
        longest = length;
        if (wanted === 'shortest') break;
      }
      const char = direction === 1 ? chars[start + length] : chars[start - 1 - length];
      if (char === undefined) break;
      for (let index = 0; index < count; index++) {
        const state = this.#states[index] as number;
        const item = pattern[state];
        if (item?.kind === 'star') enter(state, length + 1);
        else if (item && matchesItem(item, char)) enter(state + 1, length + 1);
      }
    }
    return { shortest, longest, reachedStar };
  }
}

function matchesItem(item: PatternItem, char: string): boolean {
  if (item.kind === 'any') return true;
  if (item.kind === 'char') return item.char === char;
  return item.kind === 'set' && item.matches(char) !== item.negated;
}

/** Reads sets such as `a-z[:digit:]]`, each character of the pattern once, however many are never closed. */
class SetReader {
  readonly #chars: readonly PatternChar[];
  readonly #open = new Set<number>();

  constructor(chars: readonly PatternChar[]) {
    this.#chars = chars;
  }

  /** The set whose `[` is before `start`; undefined if it is never closed. */
  read(start: number): { item: PatternItem; end: number } | undefined {
    const chars = this.#chars;
    let at = start;
    const negated = !chars[at]?.quoted && (chars[at]?.char === '!' || chars[at]?.char === '^');
    if (negated) at++;
    const tests: ((char: string) => boolean)[] = [];
    const passed: number[] = [];
    for (const first = at; ; ) {
      const current = chars[at];
      const isEnd = current === undefined || (current.char === '/' && !current.quoted);
      if (isEnd || this.#open.has(at)) {
        for (const place of passed) this.#open.add(place);
        return undefined;
      }
      if (current.char === ']' && !current.quoted && at > first) break;
      if (at > first) passed.push(at);
      const name = classAt(chars, at);
      const last = chars[at + 2];
      if (name !== undefined) {
        tests.push((char) => CLASSES[name]?.test(char) ?? false);
        at += name.length + 4;
      } else if (chars[at + 1]?.char === '-' && last && (last.char !== ']' || last.quoted)) {
        tests.push((char) => char >= current.char && char <= last.char);
        at += 3;
      } else {
        tests.push((char) => char === current.char);
        at++;
      }
    }
    const matches = (char: string) => tests.some((test) => test(char));
    return { item: { kind: 'set', negated, matches }, end: at + 1 };
  }
}

function classAt(chars: readonly PatternChar[], at: number): string | undefined {
  if (chars[at]?.char !== '[' || chars[at + 1]?.char !== ':') return undefined;
  const text = chars
    .slice(at + 2, at + 12)
    .map(({ char }) => char)
    .join('');
  return /^([a-z]+):\]/.exec(text)?.[1];
}
