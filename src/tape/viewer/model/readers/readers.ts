import type { Line } from '../../../entries.js';
import { durationText } from '../names.js';
import type { Item, LineOf } from '../timeline.js';

export type Readers = { readonly [K in Line['kind']]?: (entry: LineOf<K>, line: number) => void };

/** Ends the bar of a connection. */
export function lost(
  open: Map<number, Item>,
  { t, connection }: LineOf<'connection' | 'plugin'>,
  line: number,
) {
  const item = open.get(connection);
  open.delete(connection);
  if (item === undefined) return;
  item.end = t;
  item.endLine = line;
  item.text += `; it was lost after ${durationText(t - item.t)}`;
}
