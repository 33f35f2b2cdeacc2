/** The name behind a mark: `-NAME` asks for the removal of NAME. Undefined for a name without one. */
export const markedForRemoval = (name: string): string | undefined =>
  name.startsWith('-') ? name.slice(1) : undefined;

/** The mark that asks for the removal of a name. */
export const removalOf = (name: string): string => `-${name}`;
