import type { Header, Line } from '../../entries.js';
import { createTimelineBuilder } from './builder.js';
import type { ReadTape } from './reader.js';

export interface LiveTape {
  add(text: string): number;
  read(): ReadTape;
}

export interface LiveLimits {
  /** Newest lines, and their characters. */
  readonly lines: number;
  readonly characters: number;
  /** Items about the state of pods, containers and node, which are kept longer than calls. */
  readonly lasting: number;
}

const LIMITS: LiveLimits = { lines: 40_000, characters: 64 * 2 ** 20, lasting: 2000 };

interface LiveLine {
  readonly t: number;
  readonly text: string;
  readonly sameAs: number | undefined;
}

export function createLiveTape(header: Header, headerText: string, limits = LIMITS): LiveTape {
  const builder = createTimelineBuilder(header);
  const lines = new Map<number, LiveLine>();
  let last = 1;
  let added = { lines: 0, characters: 0 };

  const forget = () => {
    const first = firstKept(lines, last, limits);
    const used = builder.forget(lines.get(first)?.t ?? 0, limits.lasting);
    const isKept = (line: number) => line >= first || used.has(line);
    const named = new Set<number>();
    for (const [line, { sameAs }] of lines) if (sameAs !== undefined && isKept(line)) named.add(sameAs);
    for (const line of lines.keys()) if (!isKept(line) && !named.has(line)) lines.delete(line);
    added = { lines: 0, characters: 0 };
  };

  return {
    add: (text) => {
      const entry = JSON.parse(text) as Line & { readonly sameAs?: number };
      lines.set(++last, { t: entry.t, text, sameAs: entry.sameAs });
      builder.add(entry, last);
      added.lines++;
      added.characters += text.length;
      if (added.lines > limits.lines / 2 || added.characters > limits.characters / 2) forget();
      return entry.t;
    },
    read: () => ({
      name: 'live',
      timeline: builder.timeline(),
      problem: undefined,
      text: (line) => (line === 1 ? headerText : lines.get(line)?.text),
    }),
  };
}

/** First of the newest lines, which are half of the limit. */
function firstKept(lines: ReadonlyMap<number, LiveLine>, last: number, limits: LiveLimits): number {
  let characters = 0;
  let first = last;
  for (; first > last - limits.lines / 2 && lines.has(first); first--) {
    characters += lines.get(first)?.text.length ?? 0;
    if (characters > limits.characters / 2) break;
  }
  return first + 1;
}
