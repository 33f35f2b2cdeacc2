/** A text of `most` characters or fewer, to be kept: a mere part of a string would hold the whole string in memory. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(`${text.slice(0, most - 1)}…`).toString();
