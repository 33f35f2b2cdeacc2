/** Truncates a text for storage: a slice of a string would keep the whole string in memory. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(`${text.slice(0, most - 1)}…`).toString();
