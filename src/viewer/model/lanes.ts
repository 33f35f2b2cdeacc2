import type { Item, Lane, LaneKind } from './timeline.js';

/** Order of lanes within the node or a pod. */
const ORDER: readonly LaneKind[] = [
  'fault',
  'node',
  'kubelet',
  'runtime',
  'pleg',
  'stream',
  'connection',
  'row',
  'sandbox',
  'container',
  'event',
  'call',
  'log',
];

/** Bars that overlap are drawn in this many rows; the others share the last one. */
const MOST_ROWS = 6;

/** The lanes of one tape, which are made when something comes into them. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #pods: string[] = [];

  /** The lane of this kind, pod and label. */
  lane(kind: LaneKind, pod: string, label: string): Lane {
    const key = `${kind} ${pod} ${label}`;
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    if (pod !== '' && !this.#pods.includes(pod)) this.#pods.push(pod);
    const made: Lane = { kind, label, pod, items: [], rows: 1 };
    this.#lanes.set(key, made);
    return made;
  }

  /** Puts an item at the end of its lane. */
  add(lane: Lane, item: Omit<Item, 'lane' | 'row'>): Item {
    const made: Item = { ...item, lane, row: 0 };
    lane.items.push(made);
    return made;
  }

  /** All lanes that hold something, in the order in which they are drawn, with bars in rows. */
  all(): Lane[] {
    const known = [...this.#lanes.values()].filter(({ items }) => items.length > 0);
    const withRows = new Set(known.flatMap(({ kind, pod }) => (kind === 'row' ? pod : [])));
    // The rows of a pod say more than the states of its sandbox.
    const lanes = known.filter(({ kind, pod }) => kind !== 'sandbox' || !withRows.has(pod));
    for (const lane of lanes) {
      if (!isSorted(lane.items)) lane.items.sort((a, b) => a.t - b.t);
      if (lane.kind === 'call' || lane.kind === 'connection') pack(lane);
    }
    const place = (pod: string) => (pod === '' ? -1 : this.#pods.indexOf(pod));
    return lanes.sort((a, b) => place(a.pod) - place(b.pod) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  }
}

const isSorted = (items: readonly Item[]): boolean =>
  items.every((item, index) => index === 0 || (items[index - 1] as Item).t <= item.t);

/** Gives each bar the first row that is free at its start. */
function pack(lane: Lane): void {
  const ends: number[] = [];
  for (const item of lane.items) {
    let row = ends.findIndex((end) => end <= item.t);
    if (row < 0) row = Math.min(ends.length, MOST_ROWS - 1);
    ends[row] = Math.max(item.end ?? Number.POSITIVE_INFINITY, item.t + 1);
    item.row = row;
  }
  lane.rows = Math.max(1, ends.length);
}
