import { createHash } from 'node:crypto';
import type { Entry, EntryOf, Line } from './entries.js';
import { createLru } from './lru.js';
import type { JsonObject, Message } from './message.js';
import type { Redactor } from './redact.js';

/** File format version that this program writes, and the newest that it reads. */
export const TAPE_VERSION = 1;

/** Characters of lines whose messages both writer and reader remember. */
export const REMEMBERED = 8 * 1024 * 1024;

export type UnreadCall = Omit<EntryOf<'call'>, 'message'>;

/**
 * One line per entry. A repeated message is a reference to its line (`sameAs`): a kubelet's lists repeat every second.
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

/** Bytes of a message that identify it themselves: computing a digest would take longer. */
const SHORT = 128;

/** Requests and replies of an RPC have different types, so equal bytes differ in meaning. */
const keyOf = (entry: Entry | UnreadCall, message: Message): string => {
  const { kind, method } = entry as { readonly kind: string; readonly method?: string };
  const bytes = message.bytes();
  if (bytes.length <= SHORT) return `${kind === 'call'} ${method}=${bytes.toString('latin1')}`;
  // Stores a digest instead of the bytes, because a redacted line omits parts of them.
  return `${kind === 'call'} ${method} ${createHash('sha256').update(bytes).digest('base64')}`;
};

/** JSON, plus the bytes if the JSON loses something; only bytes for an invalid message. */
function formsOf(message: Message): { readonly message: JsonObject; readonly raw?: string } {
  try {
    const lost = message.lost();
    return { message: message.json(), ...(lost && { raw: lost.toString('base64') }) };
  } catch {
    return { message: {}, raw: message.bytes().toString('base64') };
  }
}
