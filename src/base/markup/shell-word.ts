/** A word that a POSIX shell reads as `text`: in single quotes if it has characters that a shell may interpret. */
export const shellWord = (text: string): string =>
  /^[\w./:@=,%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
