import { ToolError } from '../kit/tool.js';
import { posixRegex, type TextPattern } from './regex.js';

/** Lines count from 1; `step` is `first~step`, `more` is `addr,+count`. */
export type Address =
  | { readonly kind: 'line'; readonly line: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'regex'; readonly regex: TextPattern | undefined }
  | { readonly kind: 'step'; readonly first: number; readonly step: number }
  | { readonly kind: 'more'; readonly count: number };

/** The s command with its flags; `replacement` is unexpanded, `file` belongs to its w flag. */
export interface Substitution {
  /** Undefined means the last regular expression that was used. */
  readonly regex: TextPattern | undefined;
  readonly replacement: string;
  readonly isGlobal: boolean;
  /** Replaces from this match on, counted from 1; alone, only this one. */
  readonly nth: number;
  readonly isPrinted: boolean;
  readonly file: string | undefined;
}

/** A command with its addresses; without any it applies to every line. */
export interface Instruction {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly isNegated: boolean;
  readonly verb: string;
  /** Text of a, i and c, a label, or a file's name. */
  readonly text: string;
  readonly substitution?: Substitution;
  readonly map?: ReadonlyMap<string, string>;
  readonly block?: readonly Instruction[];
}

/** Nested blocks, so that no script can exhaust the stack. */
const MAX_DEPTH = 200;

const ADDRESSES_ALLOWED = /^[acdDgGhHilnNpPqQrstTwxybB={:}]$/;

/** Parses a sed script, each character a byte; throws ToolError with busybox's texts. */
export function parseSed(script: string, isExtended: boolean): readonly Instruction[] {
  return new Parser(script, isExtended).all();
}

class Parser {
  readonly #script: string;
  readonly #isExtended: boolean;
  #at = 0;
  #depth = 0;

  constructor(script: string, isExtended: boolean) {
    this.#script = script;
    this.#isExtended = isExtended;
  }

  all(isInBlock = false): readonly Instruction[] {
    if (++this.#depth > MAX_DEPTH) throw new ToolError('blocks are nested too deeply');
    const list: Instruction[] = [];
    for (;;) {
      this.#skip(/[\s;]*/y);
      if (this.#at >= this.#script.length) {
        if (isInBlock) throw new ToolError('unmatched {');
        this.#depth--;
        return list;
      }
      if (this.#peek() === '#') {
        this.#skip(/[^\n]*/y);
        continue;
      }
      if (this.#peek() === '}') {
        if (!isInBlock) throw new ToolError('unexpected }');
        this.#at++;
        this.#depth--;
        return list;
      }
      list.push(this.#instruction());
    }
  }

  #instruction(): Instruction {
    const from = this.#address();
    this.#skip(/\s*/y);
    let to: Address | undefined;
    if (from && this.#peek() === ',') {
      this.#at++;
      this.#skip(/\s*/y);
      to = this.#address();
      if (to === undefined) throw new ToolError('no address after comma');
    }
    const isNegated = this.#skip(/\s*!*\s*/y).includes('!');
    const verb = this.#peek();
    this.#at++;
    if (!ADDRESSES_ALLOWED.test(verb)) {
      throw new ToolError(verb === '' ? 'missing command' : `unsupported command ${verb}`);
    }
    return { from, to, isNegated, verb, ...this.#rest(verb) };
  }

  #rest(verb: string): Omit<Instruction, 'from' | 'to' | 'isNegated' | 'verb'> {
    if (verb === '{') return { text: '', block: this.all(true) };
    if (verb === 's') return { text: '', substitution: this.#substitution() };
    if (verb === 'y') return { text: '', map: this.#map() };
    if ('aic'.includes(verb)) return { text: this.#text() };
    if ('btT:'.includes(verb)) return { text: this.#skip(/[^;\n}]*/y).trim() };
    if ('rw'.includes(verb)) return { text: this.#skip(/[^\n]*/y).trim() };
    this.#skip(/[ \t]*\d*/y);
    if (!/^[\s;}#]?$/.test(this.#peek())) throw new ToolError('extra characters after command');
    return { text: '' };
  }

  #address(): Address | undefined {
    const step = /(\d+)~(\d+)/y;
    const found = this.#match(step);
    if (found) return { kind: 'step', first: Number(found[1]), step: Number(found[2]) };
    const line = this.#match(/\d+/y);
    if (line) return { kind: 'line', line: Number(line[0]) };
    const more = this.#match(/\+(\d+)/y);
    if (more) return { kind: 'more', count: Number(more[1]) };
    if (this.#match(/\$/y)) return { kind: 'last' };
    const isOther = this.#peek() === '\\';
    if (this.#peek() !== '/' && !isOther) return undefined;
    if (isOther) this.#at++;
    const pattern = this.#delimited(true);
    return { kind: 'regex', regex: this.#regex(pattern, this.#match(/I/y) !== null) };
  }

  #regex(pattern: string, ignoreCase: boolean): TextPattern | undefined {
    return pattern === '' ? undefined : posixRegex(pattern, this.#isExtended, ignoreCase);
  }

  #substitution(): Substitution {
    const pattern = this.#delimited(true);
    this.#at--;
    const replacement = this.#delimited(false);
    const flags = this.#skip(/[gpIi0-9]*/y);
    const file = this.#match(/w\s*([^\n]*)/y)?.[1];
    if (!/^[\s;}#]?$/.test(this.#peek())) throw new ToolError('unknown option to s');
    return {
      regex: this.#regex(pattern, /i/i.test(flags)),
      replacement,
      isGlobal: flags.includes('g'),
      nth: Number(/\d+/.exec(flags)?.[0] ?? 1),
      isPrinted: flags.includes('p'),
      file,
    };
  }

  #map(): ReadonlyMap<string, string> {
    const from = unescaped(this.#delimited(false));
    this.#at--;
    const to = unescaped(this.#delimited(false));
    if (from.length !== to.length) throw new ToolError('strings for y command are different lengths');
    return new Map([...from].map((char, index) => [char, to[index] ?? '']));
  }

  /** The text up to the next delimiter, which is the present character; in a pattern, brackets hide one. */
  #delimited(isPattern: boolean): string {
    const delimiter = this.#peek();
    let text = '';
    let isInBracket = false;
    for (this.#at++; this.#at < this.#script.length; this.#at++) {
      const char = this.#peek();
      if (char === '\\' && !isInBracket) {
        const next = this.#script[++this.#at] ?? '';
        text += next === delimiter ? next : `\\${next}`;
      } else if (char === delimiter && !isInBracket) {
        this.#at++;
        return text;
      } else {
        if (isPattern && char === '[' && !isInBracket) isInBracket = true;
        else if (isInBracket && char === ']' && !/\[\^?$/.test(text.slice(-2))) isInBracket = false;
        text += char;
      }
    }
    throw new ToolError("unmatched '/'".replace('/', delimiter));
  }

  /** The lines of a, i and c: a backslash at the end of one continues it. */
  #text(): string {
    this.#skip(/[ \t]*(?:\\\n)?[ \t]*/y);
    const text = this.#skip(/(?:[^\n\\]|\\[\s\S])*/y);
    return text.replace(/\\([\s\S])/g, '$1');
  }

  #peek(): string {
    return this.#script[this.#at] ?? '';
  }

  #match(regex: RegExp): RegExpExecArray | null {
    regex.lastIndex = this.#at;
    const match = regex.exec(this.#script);
    if (match) this.#at += match[0].length;
    return match;
  }

  #skip(regex: RegExp): string {
    return this.#match(regex)?.[0] ?? '';
  }
}

const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : char));
