import { createCallJoiner, type FinishedCall, type OtherEntry } from '../../../tape/calls.js';
import type { NumberedEntry } from '../../../tape/read.js';

/** Limits of lines that wait for the end of an earlier call: their number, and their characters. */
const MOST_WAITING = 10_000;
const MOST_TEXT = 16 * 1024 * 1024;

/**
 * Formats a tape's entries in order of time: a call is placed at its beginning. Omits entries without a line from
 * `show`. A call that is too long to wait for is placed at its end.
 */
export async function* linesInOrder(
  entries: AsyncIterable<NumberedEntry>,
  show: (each: FinishedCall | OtherEntry) => string | undefined,
): AsyncGenerator<string> {
  const joiner = createCallJoiner();
  /** By line of the tape; undefined for a call in progress. A Map keeps their order. */
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
