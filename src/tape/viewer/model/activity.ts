import { indexFrom } from './order.js';
import type { Item } from './timeline.js';
import type { View } from './view.js';

export interface Activity {
  readonly all: Uint32Array;
  /** Failed ones, and those affected by a fault rule. */
  readonly bad: Uint32Array;
  readonly hit: Uint32Array;
  /** The largest number in one part, at least 1. */
  readonly most: number;
}

export function activityOf(lanes: readonly (readonly Item[])[], { from, to }: View, parts: number): Activity {
  const [all, bad, hit] = [new Uint32Array(parts), new Uint32Array(parts), new Uint32Array(parts)];
  const perPart = (to - from) / parts;
  const count = (counts: Uint32Array, part: number) => {
    counts[part] = (counts[part] ?? 0) + 1;
  };
  for (const items of lanes)
    for (let index = indexFrom(items, from); index < items.length; index++) {
      const item = items[index] as Item;
      if (item.t > to) break;
      const part = Math.min(parts - 1, Math.floor((item.t - from) / perPart));
      count(all, part);
      if (item.tone === 'bad') count(bad, part);
      if (item.rules !== undefined) count(hit, part);
    }
  return { all, bad, hit, most: Math.max(1, ...all) };
}

/** Items per pixel above which they are drawn as a density: bars would cover each other. */
const DENSE = 0.2;

export const isDense = (items: readonly Item[], { from, to }: View, pixels: number): boolean =>
  indexFrom(items, to) - indexFrom(items, from) > pixels * DENSE;
