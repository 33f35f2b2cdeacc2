import type { Layout, Row } from '../model/layout.js';
import type { Item, Link } from '../model/timeline.js';
import type { View } from '../model/view.js';
import type { Colors } from './colors.js';

/** Everything that a picture is painted from; sizes in CSS pixels. */
export interface Scene {
  readonly layout: Layout;
  readonly view: View;
  readonly scroll: number;
  readonly width: number;
  readonly height: number;
  /** Width of the column of names. */
  readonly names: number;
  readonly end: number;
  /** Nanoseconds of the last entry: what is open is drawn until then. */
  readonly last: number;
  readonly colors: Colors;
  readonly selected: Item | undefined;
  readonly hovered: Item | undefined;
  readonly links: readonly Link[];
  /** Lines of the first tape, and of the second, that differ. */
  readonly differing: ReadonlySet<Item>;
}

/** Height of the axis above the lanes. */
export const AXIS = 28;

/** Where a moment is, in pixels from the left. */
export const xOf = ({ view, names, width }: Scene, t: number): number =>
  names + ((t - view.from) / (view.to - view.from)) * (width - names);

/** Where an item is drawn. */
export interface Box {
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly height: number;
}

/** The place of an item within the lanes, at least 2 pixels wide. */
export function boxOf(scene: Scene, row: Row, item: Item): Box {
  const lane = row.lane;
  const top = row.y + (row.group === undefined ? 2 : 6);
  const full = row.height - (row.group === undefined ? 4 : 8);
  const rows = lane === undefined ? 1 : lane.rows;
  const height = full / rows;
  const y = top + item.row * height;
  const x = xOf(scene, item.t);
  const end = item.end ?? scene.last;
  return { x, right: Math.max(xOf(scene, end), x + 2), y, height: rows > 1 ? height - 1 : height };
}
