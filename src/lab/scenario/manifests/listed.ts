const MOST_LISTED = 8;

export function listed(all: readonly string[]): string {
  const shown = all.slice(0, MOST_LISTED).join(', ');
  return all.length > MOST_LISTED ? `${shown} and ${all.length - MOST_LISTED} more` : shown;
}
