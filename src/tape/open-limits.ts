/** Calls that may be open at one place of a tape, and characters of their lines. */
const MOST_OPEN = 100_000;
const MOST_OPEN_TEXT = 256 * 1024 * 1024;

/** What is wrong with so many calls that are open at one place; undefined for nothing. */
export const openProblem = (calls: number, characters: number): string | undefined =>
  calls > MOST_OPEN || characters > MOST_OPEN_TEXT
    ? `${calls} calls are open here, which are more than can be read`
    : undefined;
