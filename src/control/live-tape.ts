import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Recorded, RecordedRuntime, TapeRecorder } from '../assembly/tape-recorder.js';
import { createRealClock } from '../clock/real-clock.js';
import type { Entry, Happening } from '../tape/entries.js';
import { headerAt } from '../tape/header.js';
import { withoutLargeReply } from '../tape/large.js';
import { createLineWriter } from '../tape/line-writer.js';
import { createRedactor } from '../tape/redact.js';
import { createInbox } from './inbox.js';
import { type PartOf, partFor } from './part.js';
import { limitReaders } from './reader-limit.js';
import type { EventStream, Route } from './router.js';
import { encodeEvent } from './server-sent-event.js';

/** Readers at a time: each remembers which messages it has got. */
const MOST_READERS = 16;
/** Entries that may wait for one reader, and about the bytes of their messages; beyond it they are lost, and a gap says so. */
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Time in ms in which entries are collected before they are sent. */
const DELAY = 50;
/** Characters of one event. */
const SLICE = 64 * 1024;

/** The query of `GET /v1/tape/live`. */
export const liveTapeSchema = z.strictObject({
  node: z.string().optional().describe('with mockri node: name of a node, or a pattern; default all'),
});

/**
 * `GET /v1/tape/live`: the tape from now on as server-sent events: `header`, then `lines`, a list of lines as in a file.
 * The first lines are what exists now. A slow reader loses entries, never the server its memory.
 */
export function liveTapeRoute(
  recorder: Pick<TapeRecorder, 'about' | 'all' | 'listen'>,
  partOf?: PartOf,
): Route {
  const path = '/v1/tape/live';
  const admit = limitReaders(path, MOST_READERS);
  return {
    method: 'GET',
    path,
    handle: async ({ query, signal }) => {
      const part = partFor(query(liveTapeSchema).node, partOf) ?? recorder.all;
      signal.addEventListener('abort', admit(), { once: true });
      const about = await recorder.about(part);
      return { events: openStream(recorder, about, part, signal) };
    },
  };
}

function openStream(
  recorder: Pick<TapeRecorder, 'listen'>,
  about: Awaited<ReturnType<TapeRecorder['about']>>,
  part: Recorded,
  signal: AbortSignal,
): EventStream {
  const { tape } = part;
  const start = tape.now();
  const machine = createRealClock();
  const lineOf = createLineWriter(createRedactor(new Set(), randomBytes(32)));
  const header = headerAt(tape, start, about, new Set());
  const inbox = createInbox<Entry>(
    (entry) => ('message' in entry ? (entry.message?.bytes().length ?? 0) : 0),
    signal,
  );
  for (const entry of part.runtimes.flatMap(whatExists)) inbox.push(entry);
  let lost = 0;
  const stop = recorder.listen((given) => {
    if (inbox.length >= MOST_ENTRIES || inbox.size > MOST_BYTES) lost += inbox.take().length;
    inbox.push({ ...withoutLargeReply(given), t: given.t - start });
  }, part);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  function* slices(entries: readonly Entry[]): Generator<Buffer> {
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

/** What has become of the pods and containers that exist, as if it all happened now. */
function whatExists({ node, origin }: RecordedRuntime): Entry[] {
  const happenings = (origin.runtime?.snapshot().sandboxes ?? []).flatMap((sandbox): Happening[] => {
    const { id, name, namespace, uid, attempt } = sandbox;
    const pod = { id, name, namespace, uid, attempt };
    const lives = sandbox.containers.flatMap(({ state, exitCode, reason, ...container }): Happening[] => {
      const about = { id: container.id, name: container.name, attempt: container.attempt };
      const life = { kind: 'container', pod, container: about } as const;
      const began: Happening[] = [{ ...life, what: 'created' }];
      if (state !== 'CREATED') began.push({ ...life, what: 'started' });
      if (state === 'EXITED') began.push({ ...life, what: 'ended', exitCode, ...(reason && { reason }) });
      return began;
    });
    const what = sandbox.state === 'READY' ? 'ready' : 'stopped';
    return [{ kind: 'sandbox', pod, what }, ...lives];
  });
  return happenings.map((happening) => ({ t: 0, ...(node && { node }), ...happening }) as Entry);
}
