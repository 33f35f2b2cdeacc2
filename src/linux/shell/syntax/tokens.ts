import type { Assignment, Word } from './ast.js';
import type { Token } from './lexer.js';

const KEYWORDS: ReadonlySet<string> = new Set([
  '!',
  '{',
  '}',
  'case',
  'do',
  'done',
  'elif',
  'else',
  'esac',
  'fi',
  'for',
  'function',
  'if',
  'in',
  'then',
  'until',
  'while',
]);

/** Reserved words (POSIX 2.4), and `function`; they count only where a command may begin. */
export const isKeyword = (word: string): boolean => KEYWORDS.has(word);

/** An operator, or a word that has no quotes and no expansions; undefined for everything else. */
export function textOf(token: Token): string | undefined {
  if (token.kind === 'operator') return token.text;
  if (token.kind !== 'word') return undefined;
  const [part] = token.word;
  return token.word.length === 1 && part?.kind === 'literal' && !part.quoted ? part.text : undefined;
}

export function keywordOf(token: Token): string | undefined {
  const text = token.kind === 'word' ? textOf(token) : undefined;
  return text !== undefined && isKeyword(text) ? text : undefined;
}

/** Returns a token's name in busybox's messages. */
export function describeToken(token: Token): string {
  if (token.kind === 'end') return 'end of file';
  if (token.kind === 'newline' || token.kind === 'redirection') return token.kind;
  const keyword = token.kind === 'operator' ? token.text : keywordOf(token);
  return keyword === undefined ? 'word' : `"${keyword}"`;
}

/** `name=value` or `name+=value`; undefined for other words. */
export function splitAssignment(word: Word): Assignment | undefined {
  const [first, ...rest] = word;
  if (first?.kind !== 'literal' || first.quoted) return undefined;
  const match = /^([A-Za-z_][A-Za-z0-9_]*)(\+?)=/.exec(first.text);
  if (!match) return undefined;
  const text = first.text.slice(match[0].length);
  const value = text === '' ? rest : [{ ...first, text }, ...rest];
  return { name: match[1] as string, append: match[2] === '+', value };
}
