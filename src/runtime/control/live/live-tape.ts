import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { createRealClock } from '../../../base/clock/real-clock.js';
import type { Entry } from '../../../tape/entries.js';
import { headerAt } from '../../../tape/header.js';
import { withoutLargeReply } from '../../../tape/large.js';
import { createLineWriter, type UnreadCall } from '../../../tape/line-writer.js';
import { createRedactor } from '../../../tape/redact.js';
import { contentSize } from '../../../tape/size.js';
import type { Recorded, TapeRecorder } from '../../assembly/tape-recorder.js';
import type { CallLog } from '../../server/call-log.js';
import { createInbox } from '../inbox.js';
import { type PartOf, partFor } from '../part.js';
import { limitReaders } from '../reader-limit.js';
import type { EventStream, Route } from '../router.js';
import { encodeEvent } from '../server-sent-event.js';
import { pastCalls } from './past-calls.js';
import { keepRecent, type Recent } from './recent.js';
import { whatExists } from './what-exists.js';

/** Maximum number of readers at a time: each remembers which messages it has received. */
const MOST_READERS = 16;
/** Entries that wait for one reader, and bytes of their content; more are dropped, and a gap entry reports it. */
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Time in ms for which entries are collected before they are sent. */
const DELAY = 50;
/** Characters of one event. */
const SLICE = 64 * 1024;

export const liveTapeSchema = z.strictObject({
  node: z.string().optional().describe('with mockri node: name of a node, or a pattern; default all'),
});

export interface LiveTapeOptions {
  readonly recorder: Pick<TapeRecorder, 'about' | 'all' | 'listen'>;
  /** Chooses nodes; undefined where a server is one runtime. */
  readonly partOf?: PartOf;
  /** The calls before a page is opened. Default: none are shown. */
  readonly calls?: Pick<CallLog, 'list'> | undefined;
}

/**
 * `GET /v1/tape/live`: sends the last minutes of the tape and everything from now on as server-sent events: `header`,
 * `now` with the time on this tape, then `lines`, a list of lines as in a file. Calls before now have no messages. A
 * slow reader loses entries, so that it can't exhaust the server's memory.
 */
export function liveTapeRoute({ recorder, partOf, calls }: LiveTapeOptions): Route {
  const path = '/v1/tape/live';
  const admit = limitReaders(path, MOST_READERS);
  const recent = keepRecent(recorder);
  return {
    method: 'GET',
    path,
    handle: async ({ query, signal }) => {
      const part = partFor(query(liveTapeSchema).node, partOf) ?? recorder.all;
      signal.addEventListener('abort', admit(), { once: true });
      const about = await recorder.about(part);
      const start = recent.from;
      const past = pastOf(recent, part, start, calls);
      return { events: openStream(recorder, { about, part, start, past }, signal) };
    },
  };
}

/** What a reader gets first, in order of time; made while it is sent, as there may be tens of thousands of entries. */
function pastOf(
  recent: Recent,
  part: Recorded,
  start: number,
  calls: LiveTapeOptions['calls'],
): Iterable<Entry | UnreadCall> {
  const { tape, runtimes } = part;
  const length = tape.now() - start;
  const entries: (Entry | UnreadCall)[] = [
    ...recent.of(part),
    ...runtimes.flatMap((runtime) => whatExists(runtime, start)),
    ...(calls === undefined ? [] : pastCalls(calls, tape, start)),
  ].sort((a, b) => a.t - b.t);
  const known = new Set<string>();
  return (function* () {
    for (const entry of entries) {
      const step = lifecycleKey(entry);
      const { size } = known;
      if (step === undefined || known.add(step).size > size)
        yield { ...entry, t: Math.min(Math.max(0, entry.t - start), length) };
    }
    // The reader may stay for hours.
    entries.length = 0;
    known.clear();
  })();
}

/** Names the step of a lifecycle, which is written once. */
function lifecycleKey(entry: Entry | UnreadCall): string | undefined {
  if (entry.kind === 'sandbox') return `${entry.pod.id} ${entry.what}`;
  return entry.kind === 'container' ? `${entry.container?.id} ${entry.what}` : undefined;
}

interface Opened {
  readonly about: Awaited<ReturnType<TapeRecorder['about']>>;
  readonly part: Recorded;
  readonly start: number;
  readonly past: Iterable<Entry | UnreadCall>;
}

function openStream(
  recorder: Pick<TapeRecorder, 'listen'>,
  { about, part, start, past }: Opened,
  signal: AbortSignal,
): EventStream {
  const { tape } = part;
  const machine = createRealClock();
  const lineOf = createLineWriter(createRedactor(new Set(), randomBytes(32)));
  const header = headerAt(tape, start, about, new Set());
  const inbox = createInbox<Entry>(contentSize, signal);
  let lost = 0;
  const stop = recorder.listen((given) => {
    if (inbox.length >= MOST_ENTRIES || inbox.size > MOST_BYTES) lost += inbox.take().length;
    inbox.push({ ...withoutLargeReply(given), t: given.t - start });
  }, part);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  function* slices(entries: Iterable<Entry | UnreadCall>): Generator<Buffer> {
    let lines: string[] = [];
    let length = 0;
    for (const entry of entries) {
      const line = lineOf(entry).trimEnd();
      lines.push(line);
      length += line.length;
      if (length < SLICE) continue;
      yield encodeEvent({ event: 'lines', data: lines });
      lines = [];
      length = 0;
    }
    if (lines.length > 0) yield encodeEvent({ event: 'lines', data: lines });
  }
  async function* events(): AsyncGenerator<Buffer> {
    lineOf(header);
    yield encodeEvent({ event: 'header', data: header });
    yield encodeEvent({ event: 'now', data: { t: tape.now() - start } });
    yield* slices(past);
    while (!signal.aborted) {
      const entries = inbox.take();
      const t = entries[0]?.t ?? 0;
      const gap = { t, kind: 'gap', lost, text: 'the reader was too slow' } as const;
      yield* slices(lost > 0 ? [gap, ...entries] : entries);
      lost = 0;
      if (inbox.length > 0) continue;
      await inbox.filled();
      await machine.sleep(DELAY);
    }
  }
  return { overrun: new AbortController().signal, [Symbol.asyncIterator]: events };
}
