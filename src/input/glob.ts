/** Whether a text fits a glob: `*` any run of characters, `?` one. */
export function globMatches(glob: string, text: string): boolean {
  const literal = glob.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\*+/g, '.*').replace(/\?/g, '.')}$`, 's').test(text);
}
