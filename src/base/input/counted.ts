export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** `once`, or `3 times`. */
export const timesOf = (count: number): string => (count === 1 ? 'once' : `${count} times`);
