import { globMatches } from '../../../base/input/glob.js';
import { Regex } from '../../../base/input/regex.js';

/** Tests a text against a glob (`*` any run, `?` one character) or, between slashes, a regular expression. */
export type Pattern = (text: string) => boolean;

const EXPRESSION = /^\/(.+)\/([imsu]*)$/s;

/**
 * Compiles a pattern; throws SyntaxError or RangeError for a bad regular expression. Matching takes time linear in the
 * text.
 */
export function compilePattern(source: string): Pattern {
  const [, expression, flags = ''] = EXPRESSION.exec(source) ?? [];
  if (expression !== undefined) {
    const regex = new Regex(expression, {
      ignoreCase: flags.includes('i'),
      multiline: flags.includes('m'),
      dotAll: flags.includes('s'),
    });
    return (text) => regex.test(text);
  }
  if (!/[*?]/.test(source)) return (text) => text === source;
  return (text) => globMatches(source, text);
}

/** Returns why `compilePattern` refuses it; undefined if it doesn't. */
export function problemOf(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
