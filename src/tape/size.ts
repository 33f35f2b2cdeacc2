import type { Entry } from './entries.js';

/** Approximate bytes of messages, texts, and ids from a plugin, for entries that wait for a slow reader. */
export function contentSize(entry: Entry): number {
  let size = 0;
  if ('message' in entry) size += entry.message?.bytes().length ?? 0;
  if ('details' in entry) size += entry.details?.length ?? 0;
  if ('text' in entry) size += entry.text?.length ?? 0;
  if (entry.kind === 'nri') for (const id of entry.updates ?? []) size += ID + id.length;
  return size;
}

/** Overhead of a text in a list, in addition to its characters. */
const ID = 16;
