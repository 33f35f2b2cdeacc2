import type { Process } from '../../process/process.js';
import { ShellError } from '../execution/control-flow.js';
import { optionLetters } from '../execution/options.js';
import type { Shell } from '../execution/shell.js';
import type { Parameter, ParameterOperation, Word } from '../syntax/ast.js';
import { type Characters, charactersOf, Matcher, type Pattern } from './pattern.js';
import { BREAK, type Expanded, NOTHING, type Piece } from './pieces.js';

export interface WordExpander {
  pieces(word: Word): Promise<Expanded[]>;
  text(word: Word): Promise<string>;
  pattern(word: Word): Promise<Pattern>;
  number(word: Word): Promise<number>;
}

/** A parameter's value; undefined if it is unset. `$@` and `$*` are joined. */
export function parameterValue(shell: Shell, name: string): string | undefined {
  if (/^\d+$/.test(name)) return name === '0' ? shell.arg0 : shell.positional[Number(name) - 1];
  switch (name) {
    case '@':
      return shell.positional.length === 0 ? undefined : shell.positional.join(' ');
    case '*':
      return shell.positional.length === 0 ? undefined : shell.positional.join(ifsSeparator(shell));
    case '#':
      return String(shell.positional.length);
    case '?':
      return String(shell.status);
    case '$':
      return String(shell.pid);
    case '!':
      return shell.lastBackground === undefined ? undefined : String(shell.lastBackground);
    case '-':
      return optionLetters(shell.options);
    case 'PPID':
      return String(shell.process.ppid);
    case 'LINENO':
      return String(shell.line);
    default:
      return shell.variables.get(name);
  }
}

/** Space, tab and newline when IFS is unset; empty when it is empty (POSIX 2.6.5). */
export const ifsOf = (shell: Shell): string => shell.variables.get('IFS') ?? ' \t\n';

const ifsSeparator = (shell: Shell): string => ifsOf(shell).charAt(0);

/** Parameter expansion (POSIX 2.6.2). Throws ShellError for `${x?}`, and for an unset parameter under `set -u`. */
export async function expandParameter(
  shell: Shell,
  parameter: Parameter,
  words: WordExpander,
): Promise<readonly Expanded[]> {
  const { name, quoted, operation } = parameter;
  const result = (text: string): Piece[] => [{ text, quoted, split: !quoted }];
  if (operation?.kind === 'bad') throw new ShellError('syntax error: bad substitution');
  const value = parameterValue(shell, name);
  if (isChoice(operation)) {
    const replacement = await choose(shell, parameter, operation, value, words);
    if (replacement) return replacement;
  } else if (value === undefined && shell.options.has('nounset') && name !== '@' && name !== '*') {
    throw new ShellError(`${name}: parameter not set`);
  }
  if (operation === undefined || isChoice(operation)) {
    return name === '@' || name === '*' ? expandAll(shell, name, quoted) : result(value ?? '');
  }
  if (operation.kind === 'length') return result(String(lengthOf(shell, name, value)));
  return result(await modify(shell, value ?? '', operation, words));
}

type Choice = Extract<ParameterOperation, { colon: boolean }>;

const isChoice = (operation: ParameterOperation | undefined): operation is Choice =>
  operation !== undefined && 'colon' in operation;

const lengthOf = (shell: Shell, name: string, value = ''): number =>
  name === '@' || name === '*' ? shell.positional.length : charsOf(shell, value).length;

/** Memory of a character in a list, in bytes. */
const CHARACTER_COST = 8;

/** The present command pays for them. */
function charsOf({ memory }: Shell, value: string): Characters {
  const chars = charactersOf(value);
  if (typeof chars !== 'string') memory.hold(CHARACTER_COST * chars.length);
  return chars;
}

/** `$@` and `$*`: each parameter is a separate field, except in `"$*"`. */
function expandAll(shell: Shell, name: '@' | '*', quoted: boolean): readonly Expanded[] {
  if (quoted && name === '*') return [{ text: parameterValue(shell, '*') ?? '', quoted, split: false }];
  if (quoted && shell.positional.length === 0) return [NOTHING];
  const expanded: Expanded[] = [];
  for (const text of shell.positional) {
    if (expanded.length > 0) expanded.push(BREAK);
    expanded.push({ text, quoted, split: !quoted });
  }
  return expanded;
}

/** The result of `:-`, `:=`, `:?` and `:+`; undefined if it is the value itself. */
async function choose(
  shell: Shell,
  { name, quoted }: Parameter,
  { kind, colon, word }: Choice,
  value: string | undefined,
  words: WordExpander,
): Promise<readonly Expanded[] | undefined> {
  const isSet = value !== undefined && !(colon && value === '');
  if (kind === 'alternative') return isSet ? words.pieces(word) : [{ text: '', quoted, split: true }];
  if (isSet) return undefined;
  if (kind === 'default') return words.pieces(word);
  if (kind === 'error') {
    const text = word.length > 0 ? await words.text(word) : `parameter not set${colon ? ' or null' : ''}`;
    throw new ShellError(`${name}: ${text}`);
  }
  if (!/^[A-Za-z_]/.test(name)) throw new ShellError('syntax error: bad variable name');
  const text = await words.text(word);
  shell.variables.set(name, text);
  return [{ text, quoted, split: !quoted }];
}

type Modification = Extract<ParameterOperation, { kind: 'trim' | 'slice' | 'replace' }>;

async function modify(
  shell: Shell,
  value: string,
  operation: Modification,
  words: WordExpander,
): Promise<string> {
  const chars = charsOf(shell, value);
  if (operation.kind === 'trim') {
    const { from, longest } = operation;
    return trim(shell, chars, await words.pattern(operation.pattern), from, longest ? 'longest' : 'shortest');
  }
  if (operation.kind === 'slice') {
    const offset = await words.number(operation.offset);
    return slice(chars, offset, operation.length && (await words.number(operation.length)));
  }
  const pattern = await words.pattern(operation.pattern);
  return replace(shell, chars, pattern, await words.text(operation.replacement), operation.all);
}

const cut = (chars: Characters, start: number, end?: number): string =>
  typeof chars === 'string' ? chars.slice(start, end) : chars.slice(start, end).join('');

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}` */
async function trim(
  { process }: Shell,
  chars: Characters,
  pattern: Pattern,
  from: 'start' | 'end',
  wanted: 'shortest' | 'longest',
): Promise<string> {
  const search =
    from === 'start'
      ? new Matcher(pattern).fit(chars, 0, wanted)
      : new Matcher([...pattern].reverse()).fit(chars, chars.length, wanted, -1);
  const { [wanted]: length = 0 } = await withTurns(process, search);
  return from === 'start' ? cut(chars, length) : cut(chars, 0, chars.length - length);
}

/** Completes the work, and lets other tasks run where it yields. */
function withTurns<T>(process: Process, work: Generator<undefined, T>): T | Promise<T> {
  const { done, value } = work.next();
  return done ? value : process.work(0).then(() => withTurns(process, work));
}

/** `${x:offset:length}`; negative numbers count from the end. */
function slice(chars: Characters, offset: number, length: number | undefined): string {
  const start = offset < 0 ? chars.length + offset : offset;
  if (start < 0) return '';
  if (length === undefined) return cut(chars, start);
  return cut(chars, start, length < 0 ? chars.length + length : start + length);
}

/** Matches that it replaces before it lets other tasks run. */
const MATCHES_AT_ONCE = 1024;

/** `${x/p/r}` and `${x//p/r}`: the longest match at the first place, or at each. */
async function replace(
  { memory, process }: Shell,
  chars: Characters,
  pattern: Pattern,
  replacement: string,
  all: boolean,
): Promise<string> {
  if (pattern.length === 0) return cut(chars, 0);
  const matcher = new Matcher(pattern);
  const parts: string[] = [];
  let copied = 0;
  const [first] = pattern;
  for (let at = 0; at < chars.length; ) {
    // Skips to the next place where it could begin.
    if (first?.kind === 'char') at = chars.indexOf(first.char, at);
    if (at < 0) break;
    const fit = withTurns(process, matcher.fit(chars, at, 'longest'));
    const { longest = 0, reachedStar } = fit instanceof Promise ? await fit : fit;
    // The search has tried all of the text for the part after the star.
    if (longest === 0 && reachedStar) break;
    if (longest === 0) at++;
    else {
      const before = cut(chars, copied, at);
      memory.holdTexts([before, replacement]);
      parts.push(before, replacement);
      at += longest;
      copied = at;
      if (!all) break;
      if (parts.length % MATCHES_AT_ONCE === 0) await process.work(0);
    }
  }
  return parts.join('') + cut(chars, copied);
}
