import { counted } from '../../../base/input/counted.js';
import { groupBy } from '../../../base/input/group-by.js';
import { type Filter, filtered } from './filter.js';
import type { Item, Lane, LaneKind, Timeline } from './timeline.js';
import type { View } from './view.js';

export interface Row {
  readonly y: number;
  readonly height: number;
  readonly label: string;
  /** Undefined for a title. */
  readonly lane: Lane | undefined;
  readonly items: readonly Item[];
  /** For a title and a pod's first lane: the group that a click opens and closes. */
  readonly group: string | undefined;
  readonly isOpen: boolean;
}

/** All rows of the picture, from y = 0. */
export interface Layout {
  readonly rows: readonly Row[];
  readonly height: number;
}

const HEIGHTS: Readonly<Record<LaneKind, number>> = {
  fault: 24,
  node: 20,
  kubelet: 18,
  runtime: 18,
  pleg: 18,
  plugin: 18,
  stream: 20,
  connection: 12,
  row: 22,
  sandbox: 16,
  container: 24,
  event: 14,
  call: 9,
  log: 14,
};

/** Space below a row. */
const GAP = 4;
const TITLE = 26;

/** Above this number of pods, only their first lane is open initially. */
export const MANY_PODS = 12;

export interface LayoutInput {
  readonly tapes: readonly { readonly name: string; readonly timeline: Timeline }[];
  readonly filter: Filter;
  readonly toggled: ReadonlySet<string>;
  /** Available height in pixels, which is distributed to the lanes. Default 0. */
  readonly available?: number;
  /** Folds pods without anything in this view into one row. Default: shows all pods. */
  readonly within?: View | undefined;
}

/** The group of the row for folded pods. */
const FOLDED = 'folded';

/** Lanes that get spare height, with the maximum factor: the lanes that users look for, and densities. */
const STRETCH: Readonly<Partial<Record<LaneKind, number>>> = {
  row: 1.5,
  container: 1.8,
  call: 1.8,
  stream: 1.4,
};

/** Stacks the lanes of all tapes that the filter leaves. Pods that several tapes show come first, side by side. */
export function layoutOf({ tapes, filter, toggled, available = 0, within }: LayoutInput): Layout {
  const rows: Row[] = [];
  let y = 0;
  let folded = 0;
  const add = (row: Omit<Row, 'y'>) => {
    rows.push({ ...row, y });
    y += row.height;
  };
  sideBySide(tapes, filter).forEach(add);
  tapes.forEach(({ name, timeline }, index) => {
    if (tapes.length > 1)
      add({ height: TITLE, label: name, lane: undefined, items: [], group: undefined, isOpen: true });
    const isMany = new Set(timeline.lanes.map(({ pod }) => pod)).size > MANY_PODS;
    const isSearch = filter.text !== '' || filter.method !== '' || filter.code !== '' || filter.faulty;
    for (const lanes of groupsOf(timeline.lanes)) {
      const pod = (lanes[0] as Lane).pod;
      const group = `${index} ${pod}`;
      if (within && pod !== '' && !isSearch && filter.pod === '' && !isInView(lanes, within)) {
        folded++;
        if (!toggled.has(FOLDED)) continue;
      }
      const isOpen = (pod === '' || !isMany || filter.pod === pod || isSearch) !== toggled.has(group);
      const isTitled = pod !== '' && (lanes[0] as Lane).kind !== 'row';
      if (isTitled && lanes.every((lane) => filtered(lane, filter).length === 0)) continue;
      if (isTitled) add({ height: TITLE, label: pod, lane: undefined, items: [], group, isOpen });
      let isFirst = !isTitled;
      for (const lane of isOpen ? lanes : lanes.slice(0, isTitled ? 0 : 1)) {
        const items = filtered(lane, filter);
        if (items.length === 0) continue;
        const size = HEIGHTS[lane.kind] * lane.rows;
        const height = Math.max(size, 12) + GAP + (isFirst ? GAP : 0);
        add({ height, label: lane.label, lane, items, group: isFirst ? group : undefined, isOpen });
        isFirst = false;
      }
    }
  });
  if (folded > 0) {
    const label = `${counted(folded, 'pod')} with nothing in this view`;
    add({ height: TITLE, label, lane: undefined, items: [], group: FOLDED, isOpen: toggled.has(FOLDED) });
  }
  return stretched({ rows, height: y }, available);
}

const isInView = (lanes: readonly Lane[], { from, to }: View): boolean =>
  lanes.some(({ items }) => {
    let isThere = false;
    eachWithin(items, from, to, () => {
      isThere = true;
    });
    return isThere;
  });

/** Lanes with the rows of each pod, one tape below the other; empty for one tape, or for many pods. */
function sideBySide(tapes: LayoutInput['tapes'], filter: Filter): Omit<Row, 'y'>[] {
  const lanes = tapes.flatMap(({ name, timeline }) =>
    timeline.lanes.flatMap((lane) => (lane.kind === 'row' ? [{ name, lane }] : [])),
  );
  const pods = [...new Set(lanes.map(({ lane }) => lane.pod))];
  if (tapes.length < 2 || pods.length > MANY_PODS) return [];
  const title = { height: TITLE, lane: undefined, items: [], group: undefined, isOpen: true };
  return pods.flatMap((pod) => {
    const rows = lanes.flatMap(({ name, lane }) => {
      const items = lane.pod === pod ? filtered(lane, filter) : [];
      const height = HEIGHTS.row * lane.rows + GAP;
      return items.length === 0 ? [] : [{ height, label: name, lane, items, group: undefined, isOpen: true }];
    });
    return rows.length < 2 ? [] : [{ ...title, label: pod }, ...rows];
  });
}

function stretched({ rows, height }: Layout, available: number): Layout {
  const spareOf = ({ lane, height }: Row) => height * ((lane && STRETCH[lane.kind]) ?? 1) - height;
  const wanted = rows.reduce((sum, row) => sum + spareOf(row), 0);
  if (wanted === 0 || height >= available) return { rows, height };
  const part = Math.min(1, (available - height) / wanted);
  let y = 0;
  const placed = rows.map((row): Row => {
    const made = { ...row, y, height: Math.floor(row.height + spareOf(row) * part) };
    y += made.height;
    return made;
  });
  return { rows: placed, height: y };
}

const groupsOf = (lanes: readonly Lane[]): Lane[][] => [...groupBy(lanes, ({ pod }) => pod).values()];

export function rowAt({ rows }: Layout, y: number): Row | undefined {
  return rows.find((row) => y >= row.y && y < row.y + row.height);
}

const furthest = new WeakMap<readonly Item[], Float64Array>();

/** For each item, the latest end so far: where drawing must begin for a moment. */
function furthestEnds(items: readonly Item[]): Float64Array {
  const known = furthest.get(items);
  // A growing tape adds items; a later end only makes the search begin too early.
  if (known?.length === items.length) return known;
  const ends = new Float64Array(items.length);
  let latest = Number.NEGATIVE_INFINITY;
  items.forEach((item, index) => {
    latest = Math.max(latest, item.end ?? Number.POSITIVE_INFINITY);
    ends[index] = latest;
  });
  furthest.set(items, ends);
  return ends;
}

/** Calls back for each visible item, in order of time. */
export function eachWithin(
  items: readonly Item[],
  from: number,
  to: number,
  work: (item: Item) => void,
): void {
  const ends = furthestEnds(items);
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < items.length; index++) {
    const item = items[index] as Item;
    if (item.t > to) return;
    if ((item.end ?? Number.POSITIVE_INFINITY) >= from) work(item);
  }
}
