import type { About } from '../about.js';
import type { ReadTape } from '../model/reader.js';
import type { Item, Timeline } from '../model/timeline.js';

/** What a line of the tape is in the picture: a call by its request or its answer. */
export function itemOfLine(tape: ReadTape | undefined, line: number): Item | undefined {
  const lanes = tape?.timeline.lanes ?? [];
  const found = (isIt: (item: Item) => boolean) => {
    for (const { items } of lanes) {
      const item = items.find(isIt);
      if (item !== undefined) return item;
    }
    return undefined;
  };
  return found((item) => item.line === line) ?? found((item) => item.endLine === line);
}

/** What differs between two tapes, and the calls at which a check fails. */
export function litItems(
  tapes: readonly ReadTape[],
  { differences = [], failure }: About,
): ReadonlySet<Item> {
  const differing = differences.flatMap(({ lines }) =>
    lines.flatMap((line, index) => (line > 0 ? (itemOfLine(tapes[index], line) ?? []) : [])),
  );
  const [tape] = tapes;
  const failing = failure === undefined || tape === undefined ? [] : callsAt(tape.timeline, failure.t);
  return new Set([...differing, ...failing]);
}

/** The last call that was answered before a moment, and those under way then that never succeed. */
function callsAt({ lanes }: Timeline, t: number): Item[] {
  const before = lanes.flatMap(({ items }) =>
    items.filter((item) => item.method !== undefined && item.t <= t),
  );
  const answered = before.filter(({ end }) => end !== undefined && end <= t);
  const last = Math.max(...answered.map(({ end }) => end ?? 0));
  const isLast = ({ end = Number.POSITIVE_INFINITY, code }: Item) =>
    end === last || (end > t && code !== 'OK');
  return before.filter(isLast);
}
