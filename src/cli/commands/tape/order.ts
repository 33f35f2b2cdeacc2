import { createCallJoiner, type FinishedCall, type OtherEntry } from '../../../tape/calls.js';
import type { NumberedEntry } from '../../../tape/read.js';

/** Lines that wait for a call before them to end, and their characters. */
const MOST_WAITING = 10_000;
const MOST_TEXT = 16 * 1024 * 1024;

/**
 * A tape's calls and what is between them as lines of text in order of time: a call has its place where it begins. What
 * `show` makes no line of is left out. A call that takes too long to be waited for comes where it ends.
 */
export async function* linesInOrder(
  entries: AsyncIterable<NumberedEntry>,
  show: (each: FinishedCall | OtherEntry) => string | undefined,
): AsyncGenerator<string> {
  const joiner = createCallJoiner();
  /** By line of the tape; undefined for a call under way. A Map has them in their order. */
  const waiting = new Map<number, string | undefined>();
  let size = 0;
  function* ready(): Generator<string> {
    for (const [line, text] of waiting) {
      if (text === undefined && waiting.size <= MOST_WAITING && size <= MOST_TEXT) return;
      waiting.delete(line);
      size -= text?.length ?? 0;
      if (text) yield text;
    }
  }
  const put = (each: FinishedCall | OtherEntry) => {
    const text = show(each) ?? '';
    size += text.length;
    waiting.set(each.line, text);
  };
  for await (const each of entries) {
    const joined = joiner.take(each);
    if (joined?.kind === 'begun') waiting.set(joined.line, undefined);
    else if (joined !== undefined) put(joined);
    yield* ready();
  }
  for (const call of joiner.open()) put(call);
  yield* ready();
}
