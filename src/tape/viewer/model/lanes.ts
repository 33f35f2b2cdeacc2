import type { Item, Lane, LaneKind } from './timeline.js';

const ORDER: readonly LaneKind[] = [
  'fault',
  'node',
  'kubelet',
  'runtime',
  'pleg',
  'plugin',
  'stream',
  'connection',
  'row',
  'sandbox',
  'container',
  'event',
  'call',
  'log',
];

/** Lanes of transient items, which are forgotten before the history of pods and the node. */
const PASSING: ReadonlySet<LaneKind> = new Set<LaneKind>(['stream', 'connection', 'event', 'call', 'log']);

const PACKED: ReadonlySet<LaneKind> = new Set<LaneKind>(['call', 'connection', 'container', 'plugin']);

const MOST_ROWS = 6;

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #pods = new Map<string, number>();
  #seen = 0;
  readonly #unsorted = new Set<Lane>();

  lane(kind: LaneKind, pod: string, label: string): Lane {
    const key = `${kind} ${pod} ${label}`;
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    if (pod !== '' && !this.#pods.has(pod)) this.#pods.set(pod, this.#seen++);
    const made: Lane = { kind, label, pod, items: [], rows: 1 };
    this.#lanes.set(key, made);
    return made;
  }

  add(lane: Lane, item: Omit<Item, 'lane' | 'row'>): Item {
    const made: Item = { ...item, lane, row: 0 };
    if (made.t < (lane.items.at(-1)?.t ?? 0)) this.#unsorted.add(lane);
    lane.items.push(made);
    return made;
  }

  /**
   * Forgets calls, messages and logs that ended before a time, and other ended items except the last `most`. Keeps
   * lasting items, except open calls above `most`. Returns the remaining items.
   */
  forget(before: number, most: number): ReadonlySet<Item> {
    const items = [...this.#lanes.values()].flatMap((lane) => lane.items);
    const isOpen = ({ end }: Item) => end === undefined;
    const passes = ({ lane }: Item) => PASSING.has(lane.kind);
    const opened = items.filter((item) => isOpen(item) && passes(item)).map(({ t }) => t);
    const ended = items.flatMap((item) => (isOpen(item) || passes(item) ? [] : (item.end as number)));
    const [firstOpen, firstEnd] = [newest(opened, most), Math.min(before, newest(ended, most))];
    const isKept = (item: Item): boolean => {
      if (item.end === undefined) return !passes(item) || item.t >= firstOpen;
      return item.end >= (passes(item) ? before : firstEnd);
    };
    const pods = new Set<string>();
    for (const [key, lane] of this.#lanes) {
      lane.items = lane.items.filter(isKept);
      if (lane.items.length === 0) this.#lanes.delete(key);
      else pods.add(lane.pod);
    }
    for (const pod of this.#pods.keys()) if (!pods.has(pod)) this.#pods.delete(pod);
    return new Set(items.filter(isKept));
  }

  #placeOf({ pod, kind }: Lane): number {
    return (this.#pods.get(pod) ?? -1) * ORDER.length + ORDER.indexOf(kind);
  }

  /** All non-empty lanes in drawing order, with bars in rows. */
  all(): Lane[] {
    const known = [...this.#lanes.values()].filter(({ items }) => items.length > 0);
    const withRows = new Set(known.flatMap(({ kind, pod }) => (kind === 'row' ? pod : [])));
    // Rows of a pod say more than the states of its sandbox.
    const lanes = known.filter(({ kind, pod }) => kind !== 'sandbox' || !withRows.has(pod));
    for (const lane of this.#unsorted) lane.items.sort((a, b) => a.t - b.t);
    this.#unsorted.clear();
    for (const lane of lanes) if (PACKED.has(lane.kind)) pack(lane);
    const placed = lanes.map((lane) => [this.#placeOf(lane), lane] as const);
    return placed.sort(([a], [b]) => a - b).map(([, lane]) => lane);
  }
}

/** The smallest of the newest `most` times. */
const newest = (times: readonly number[], most: number): number =>
  times.length <= most ? Number.NEGATIVE_INFINITY : (times.toSorted((a, b) => b - a)[most - 1] as number);

function pack(lane: Lane): void {
  const ends: number[] = [];
  for (const item of lane.items) {
    if (item.shape !== 'bar') continue;
    let row = ends.findIndex((end) => end <= item.t);
    if (row < 0) row = Math.min(ends.length, MOST_ROWS - 1);
    ends[row] = Math.max(item.end ?? Number.POSITIVE_INFINITY, item.t + 1);
    item.row = row;
  }
  lane.rows = Math.max(1, ends.length);
}
