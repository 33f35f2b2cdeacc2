import type { Entry } from './entries.js';

/** Maximum bytes of a reply in a page: a list of 16 MiB every second is more than a browser can hold. */
const LARGEST = 256 * 1024;

export function withoutLargeReply(entry: Entry): Entry {
  if (entry.kind !== 'reply') return entry;
  const size = entry.message?.bytes().length ?? 0;
  if (size <= LARGEST) return entry;
  return { ...entry, message: undefined, details: `the reply of ${size} bytes is left out here` };
}
