/** Returns NAME for a mark `-NAME`, which requests its removal; undefined for an unmarked name. */
export const markedForRemoval = (name: string): string | undefined =>
  name.startsWith('-') ? name.slice(1) : undefined;

export const removalOf = (name: string): string => `-${name}`;
