/** Maximum number of open calls at one place of a tape, and of characters of their lines. */
const MOST_OPEN = 100_000;
const MOST_OPEN_TEXT = 256 * 1024 * 1024;

/** The problem of too many open calls; undefined if there is none. */
export const openProblem = (calls: number, characters: number): string | undefined =>
  calls > MOST_OPEN || characters > MOST_OPEN_TEXT
    ? `${calls} calls are open here, which are more than can be read`
    : undefined;
