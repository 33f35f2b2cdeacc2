import type { Header, Line } from '../../tape/entries.js';
import { createTimelineBuilder } from './builder.js';
import type { ReadTape } from './reader.js';

/** A tape that grows, of which a limited part is kept. */
export interface LiveTape {
  /** The next line of the tape. */
  add(text: string): void;
  /** The picture now. */
  read(): ReadTape;
}

/** Lines that are kept; beyond it the older half of those that only show calls and messages goes. */
const MOST_LINES = 40_000;

/** What is kept of a state as long as possible: without it a picture would not know what runs. */
const LASTING = new Set<Line['kind']>([
  'container',
  'sandbox',
  'row',
  'node',
  'step',
  'fault',
  'pleg',
  'gap',
]);

/** A tape with nothing but its header, which is given as text, too. */
export function createLiveTape(header: Header, headerText: string, most = MOST_LINES): LiveTape {
  let builder = createTimelineBuilder(header);
  let lines = new Map<number, string>([[1, headerText]]);
  let count = 1;

  const forget = () => {
    const older = lines.size / 2;
    const kept = new Map<number, string>();
    const named = new Set<number>();
    builder = createTimelineBuilder(header);
    let index = 0;
    let lasting = 0;
    const total = [...lines.values()].length;
    for (const [line, text] of lines) {
      const entry = JSON.parse(text) as Line & { readonly sameAs?: number };
      const isOld = index++ < older;
      const stays = !isOld || (LASTING.has(entry.kind) && ++lasting < total / 4);
      if (line !== 1 && !stays) continue;
      kept.set(line, text);
      if (entry.sameAs !== undefined) named.add(entry.sameAs);
      if (line !== 1) builder.add(entry, line);
    }
    // Messages that later lines refer to.
    for (const line of named) {
      const text = lines.get(line);
      if (text !== undefined && !kept.has(line)) references.set(line, text);
    }
    for (const line of references.keys()) if (!named.has(line)) references.delete(line);
    lines = kept;
  };
  const references = new Map<number, string>();

  return {
    add: (text) => {
      count++;
      lines.set(count, text);
      builder.add(JSON.parse(text) as Line, count);
      if (lines.size > most) forget();
    },
    read: () => ({
      name: 'live',
      timeline: builder.timeline(),
      problem: undefined,
      text: (line) => lines.get(line) ?? references.get(line),
    }),
  };
}
