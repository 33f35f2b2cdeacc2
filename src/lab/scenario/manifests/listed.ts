/** Items of a list that are written out. */
const MOST_LISTED = 8;

/** Names in one line: the first, and how many more there are. */
export function listed(all: readonly string[]): string {
  const shown = all.slice(0, MOST_LISTED).join(', ');
  return all.length > MOST_LISTED ? `${shown} and ${all.length - MOST_LISTED} more` : shown;
}
