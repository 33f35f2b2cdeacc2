import { createHash } from 'node:crypto';
import type { Entry, EntryOf, Line } from './entries.js';
import { createLru } from './lru.js';
import type { JsonObject, Message } from './message.js';
import type { Redactor } from './redact.js';

/** The version of the file format that this program writes, and the newest that it reads. */
export const TAPE_VERSION = 1;

/** Characters of lines whose messages are remembered, by writer and reader alike. */
export const REMEMBERED = 8 * 1024 * 1024;

/** A call whose message was not kept. */
export type UnreadCall = Omit<EntryOf<'call'>, 'message'>;

/**
 * Makes the lines of one file, in order, each with its newline. A message that was written not long before is named
 * by its line (`sameAs`): a kubelet's lists repeat themselves once a second.
 */
export function createLineWriter(redact: Redactor): (entry: Entry | UnreadCall) => string {
  const written = createLru<string, number>(REMEMBERED);
  let lines = 0;

  const lineOf = (entry: Entry | UnreadCall): string => {
    lines++;
    const message = 'message' in entry ? entry.message : undefined;
    if (message === undefined) return JSON.stringify(redact(entry as Line));
    const key = keyOf(entry, message);
    const before = written.get(key);
    if (before !== undefined) return JSON.stringify({ ...entry, message: undefined, sameAs: before });
    const text = JSON.stringify(redact({ ...entry, ...formsOf(message) } as Line));
    written.add(key, lines, text.length);
    return text;
  };
  return (entry) => `${lineOf(entry)}\n`;
}

/** Requests and replies of an RPC are of different types, so that equal bytes aren't the same. */
const keyOf = (entry: Entry | UnreadCall, message: Message): string => {
  const { kind, method } = entry as { readonly kind: string; readonly method?: string };
  // Not the bytes themselves: what a redacted line leaves out of them would be kept for every writer.
  const digest = createHash('sha256').update(message.bytes()).digest('base64');
  return `${kind === 'call'} ${method} ${digest}`;
};

/** The JSON, with the bytes where it loses something; bytes alone for what is no message of its type. */
function formsOf(message: Message): { readonly message: JsonObject; readonly raw?: string } {
  try {
    const lost = message.lost();
    return { message: message.json(), ...(lost && { raw: lost.toString('base64') }) };
  } catch {
    return { message: {}, raw: message.bytes().toString('base64') };
  }
}
