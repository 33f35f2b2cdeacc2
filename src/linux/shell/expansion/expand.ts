import { ShellError } from '../execution/control-flow.js';
import { captureOutput } from '../execution/processes.js';
import type { Shell } from '../execution/shell.js';
import type { Word, WordPart } from '../syntax/ast.js';
import { ArithmeticError, evaluate } from './arithmetic.js';
import { globPaths } from './glob.js';
import { expandParameter, ifsOf, parameterValue, type WordExpander } from './parameters.js';
import { compilePattern, type Pattern } from './pattern.js';
import {
  BREAK,
  type Expanded,
  FIELD_COST,
  FIELDS_AT_ONCE,
  type Field,
  NOTHING,
  splitFields,
  textOfField,
} from './pieces.js';

/** Expands words to arguments: expansions, fields, file names (POSIX 2.6). The present command pays for them. */
export async function expandWords(shell: Shell, words: readonly Word[]): Promise<string[]> {
  const args: string[] = [];
  for (const word of words) {
    const expanded = await expandWord(shell, word);
    shell.memory.holdTexts(expanded);
    for (const arg of expanded) args.push(arg);
  }
  return args;
}

async function expandWord(shell: Shell, word: Word): Promise<string[]> {
  const [only] = word;
  if (word.length === 1 && only?.kind === 'literal' && (only.quoted || !/[~*?[]/.test(only.text)))
    return [only.text];
  if (isAllParameters(word)) return shell.positional.slice();
  const { process } = shell;
  let size = 0;
  const fields = await splitFields(await expandParts(shell, word, 'tilde'), ifsOf(shell), (bytes) => {
    process.allocate(bytes);
    size += bytes;
    return process.work(0);
  });
  const args: string[] = [];
  for (const [index, field] of fields.entries()) {
    if (index % FIELDS_AT_ONCE === FIELDS_AT_ONCE - 1) await process.work(FIELDS_AT_ONCE * FIELD_COST);
    const [only] = field;
    // The text must fit into memory before it is joined.
    if (field.length > 1) shell.memory.hold(2 * field.reduce((sum, { text }) => sum + text.length, 0));
    // Most fields aren't patterns: those must not wait in the queue.
    if (field.length === 1 && only && (only.quoted || !/[*?[]/.test(only.text))) args.push(only.text);
    else for (const arg of await expandPaths(shell, field)) args.push(arg);
  }
  process.allocate(-size);
  return args;
}

/** `"$@"`, expanded without a copy: a function that passes its arguments on must not cost more than they do. */
const isAllParameters = ([part, ...rest]: Word): boolean =>
  part?.kind === 'parameter' && part.quoted && part.name === '@' && !part.operation && rest.length === 0;

async function expandPaths(shell: Shell, field: Field): Promise<string[]> {
  const paths = shell.options.has('noglob') ? [] : await globPaths(shell.process, shell.cwd, field);
  return paths.length > 0 ? paths : [textOfField(field)];
}

/** A word that stays one: an assignment's value, a file name, a here-document. */
export async function expandText(shell: Shell, word: Word, tilde: Tilde = 'tilde'): Promise<string> {
  const pieces = await expandParts(shell, word, tilde);
  // The text must fit into memory before it is joined.
  shell.memory.hold(2 * pieces.reduce((sum, piece) => sum + lengthOf(piece), 0));
  return joinPieces(pieces);
}

const lengthOf = (piece: Expanded): number => (typeof piece === 'string' ? 1 : piece.text.length);

/** Memory of a character of a pattern, in bytes. */
const PATTERN_COST = 256;

/** The pattern of `case` and `${x#…}`: not split, and quoted parts are literal. */
export async function expandPattern(shell: Shell, word: Word): Promise<Pattern> {
  const pieces = await expandParts(shell, word, 'tilde');
  shell.memory.hold(PATTERN_COST * pieces.reduce((sum, piece) => sum + lengthOf(piece), 0));
  return compilePattern(pieces.filter((piece) => piece !== BREAK && piece !== NOTHING));
}

export function calculate(shell: Shell, expression: string): bigint {
  const variables = {
    get: (name: string) => {
      const value = parameterValue(shell, name);
      if (value === undefined && shell.options.has('nounset'))
        throw new ShellError(`${name}: parameter not set`);
      return value;
    },
    set: (name: string, value: string) => shell.variables.set(name, value),
  };
  try {
    return evaluate(expression, variables);
  } catch (error) {
    if (error instanceof ArithmeticError) throw new ShellError(error.message);
    throw error;
  }
}

/** Where `~` means a home directory: at the beginning, and in an assignment also after each colon. */
type Tilde = 'tilde' | 'tildes' | 'none';

async function expandParts(shell: Shell, word: Word, tilde: Tilde, isOperand = false): Promise<Expanded[]> {
  const expanded: Expanded[] = [];
  for (const [index, part] of word.entries()) {
    if (part.kind === 'literal' && !part.quoted && part.text.includes('~') && tilde !== 'none') {
      for (const piece of await expandLiteral(shell, part.text, tilde, index === 0, isOperand))
        expanded.push(piece);
    } else for (const piece of await expandPart(shell, part, isOperand)) expanded.push(piece);
  }
  return expanded;
}

async function expandLiteral(
  shell: Shell,
  literal: string,
  tilde: Tilde,
  isFirst: boolean,
  split: boolean,
): Promise<Expanded[]> {
  const expanded: Expanded[] = [];
  const texts = tilde === 'tildes' ? literal.split(/(?<=:)/) : [literal];
  for (const [index, text] of texts.entries()) {
    const found = isFirst || index > 0 ? await expandTilde(shell, text) : undefined;
    if (found) expanded.push({ text: found.home, quoted: true, split: false });
    expanded.push({ text: found ? found.rest : text, quoted: false, split });
  }
  return expanded;
}

/** `~` and `~user` at the beginning of a text, if that is a home directory. */
async function expandTilde(shell: Shell, text: string): Promise<{ home: string; rest: string } | undefined> {
  const prefix = /^~([A-Za-z0-9_.-]*)(?=\/|:|$)/.exec(text);
  if (!prefix) return undefined;
  const home = prefix[1] === '' ? shell.variables.get('HOME') : await homeOf(shell, prefix[1] as string);
  return home === undefined ? undefined : { home, rest: text.slice(prefix[0].length) };
}

async function homeOf(shell: Shell, user: string): Promise<string | undefined> {
  const passwd = await shell.process.fs.readFile('/etc/passwd').catch(() => Buffer.alloc(0));
  const fields = passwd
    .toString()
    .split('\n')
    .map((line) => line.split(':'));
  return fields.find(([name]) => name === user)?.[5];
}

async function expandPart(shell: Shell, part: WordPart, isOperand: boolean): Promise<readonly Expanded[]> {
  const { quoted } = part;
  switch (part.kind) {
    case 'literal':
      return [{ text: part.text, quoted, split: isOperand && !quoted }];
    case 'parameter':
      return expandParameter(shell, part, expanderOf(shell));
    case 'substitution':
      return [{ text: await captureOutput(shell, part.command), quoted, split: !quoted }];
    case 'arithmetic': {
      const value = calculate(shell, await expandText(shell, part.expression, 'none'));
      return [{ text: String(value), quoted, split: !quoted }];
    }
  }
}

function expanderOf(shell: Shell): WordExpander {
  return {
    pieces: (word) => expandParts(shell, word, 'tilde', true),
    text: (word) => expandText(shell, word),
    pattern: (word) => expandPattern(shell, word),
    number: async (word) => Number(calculate(shell, await expandText(shell, word, 'none'))),
  };
}

const joinPieces = (pieces: readonly Expanded[]): string =>
  pieces.map((piece) => (piece === BREAK ? ' ' : piece === NOTHING ? '' : piece.text)).join('');
