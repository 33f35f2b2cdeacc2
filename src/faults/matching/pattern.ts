/** Tests a text against a glob (`*` any run, `?` one character) or, between slashes, a regular expression. */
export type Pattern = (text: string) => boolean;

const EXPRESSION = /^\/(.+)\/([imsu]*)$/s;

/** Compiles a pattern; throws SyntaxError for a bad regular expression. */
export function compilePattern(source: string): Pattern {
  const expression = EXPRESSION.exec(source);
  if (expression !== null) {
    const matcher = new RegExp(expression[1] as string, expression[2]);
    return (text) => matcher.test(text);
  }
  if (!/[*?]/.test(source)) return (text) => text === source;
  const literal = source.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  const matcher = new RegExp(`^${literal.replace(/\*+/g, '.*').replace(/\?/g, '.')}$`, 's');
  return (text) => matcher.test(text);
}

/** Whether `compilePattern` takes it. */
export function isPattern(source: string): boolean {
  try {
    compilePattern(source);
    return true;
  } catch {
    return false;
  }
}
