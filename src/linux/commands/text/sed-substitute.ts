import type { Substitution } from './sed-script.js';

/** What `s` makes of a text; undefined if it replaced nothing. */
export function substitute(
  text: string,
  pattern: RegExp,
  { replacement, isGlobal, nth }: Substitution,
): string | undefined {
  let count = 0;
  let hasReplaced = false;
  const result = text.replace(pattern.global ? pattern : new RegExp(pattern, 'g'), (...match) => {
    count++;
    if (isGlobal ? count < nth : count !== nth) return match[0];
    hasReplaced = true;
    return expand(replacement, match as string[]);
  });
  return hasReplaced ? result : undefined;
}

/** `&`, `\1` to `\9`, `\n` and escaped characters of a replacement. */
function expand(replacement: string, match: readonly (string | undefined)[]): string {
  return replacement.replace(/\\([\s\S])|&/g, (text, char: string | undefined) => {
    if (char === undefined) return match[0] ?? text;
    if (/\d/.test(char))
      return typeof match[Number(char)] === 'string' ? (match[Number(char)] as string) : '';
    return char === 'n' ? '\n' : char === 't' ? '\t' : char;
  });
}
