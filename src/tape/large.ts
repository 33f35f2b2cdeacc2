import type { Entry } from './entries.js';

/** Bytes of a reply that a page shows: a list of 16 MiB once a second is more than a browser can hold. */
const LARGEST = 256 * 1024;

/** The entry without a reply that is too large for a page; its details say so. */
export function withoutLargeReply(entry: Entry): Entry {
  if (entry.kind !== 'reply') return entry;
  const size = entry.message?.bytes().length ?? 0;
  if (size <= LARGEST) return entry;
  return { ...entry, message: undefined, details: `the reply of ${size} bytes is left out here` };
}
