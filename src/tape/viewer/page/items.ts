import type { About } from '../about.js';
import type { ReadTape } from '../model/reader.js';
import type { Item, Timeline } from '../model/timeline.js';

export const itemOfLine = (tape: ReadTape | undefined, line: number): Item | undefined =>
  tape && itemsByLine(tape.timeline)(line);

function itemsByLine({ lanes }: Timeline): (line: number) => Item | undefined {
  const begun = new Map<number, Item>();
  const ended = new Map<number, Item>();
  const keep = (items: Map<number, Item>, line: number, item: Item) => {
    if (!items.has(line)) items.set(line, item);
  };
  for (const { items } of lanes)
    for (const item of items) {
      keep(begun, item.line, item);
      if (item.endLine !== undefined) keep(ended, item.endLine, item);
    }
  return (line) => begun.get(line) ?? ended.get(line);
}

/** Differences between two tapes, and the calls at which a check fails. */
export function litItems(
  tapes: readonly ReadTape[],
  { differences = [], failure }: About,
): ReadonlySet<Item> {
  const byLine = differences.length > 0 ? tapes.map(({ timeline }) => itemsByLine(timeline)) : [];
  const differing = differences.flatMap(({ lines }) =>
    lines.flatMap((line, index) => (line > 0 ? (byLine[index]?.(line) ?? []) : [])),
  );
  const [tape] = tapes;
  const failing = failure === undefined || tape === undefined ? [] : callsAt(tape.timeline, failure.t);
  return new Set([...differing, ...failing]);
}

/** The last call answered before a moment, and those in progress that never succeed. */
function callsAt({ lanes }: Timeline, t: number): Item[] {
  const before = lanes.flatMap(({ items }) =>
    items.filter((item) => item.method !== undefined && item.t <= t),
  );
  const answered = before.filter(({ end }) => end !== undefined && end <= t);
  const last = answered.reduce((latest, { end = 0 }) => Math.max(latest, end), Number.NEGATIVE_INFINITY);
  const isLast = ({ end = Number.POSITIVE_INFINITY, code }: Item) =>
    end === last || (end > t && code !== 'OK');
  return before.filter(isLast);
}
