import type { Layout, Row } from '../model/layout.js';
import type { Item, Link } from '../model/timeline.js';
import type { View } from '../model/view.js';
import type { Colors } from './colors.js';

export interface Scene {
  readonly layout: Layout;
  readonly view: View;
  readonly scroll: number;
  readonly width: number;
  readonly height: number;
  readonly names: number;
  /** Time of the last entry in ns: open items are drawn until then. */
  readonly last: number;
  readonly colors: Colors;
  readonly selected: Item | undefined;
  readonly hovered: Item | undefined;
  readonly links: readonly Link[];
  /** Highlighted items: differences between two tapes, or the calls at which a check fails. */
  readonly lit: ReadonlySet<Item>;
  /** The moment at which a check fails; everything later is its cleanup. */
  readonly failed: number | undefined;
  /** Average width of a label character: measuring each label would take most of a frame. */
  readonly character: number;
  /** Whether time passes: open items have no end yet. */
  readonly isLive: boolean;
}

export const AXIS = 28;

/** Position of a moment, in pixels from the left. */
export const xOf = ({ view, names, width }: Scene, t: number): number =>
  names + ((t - view.from) / (view.to - view.from)) * (width - names);

export interface Box {
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly height: number;
}

export const insideOf = ({ y, height, group }: Row): Pick<Box, 'y' | 'height'> =>
  group === undefined ? { y: y + 2, height: height - 4 } : { y: y + 6, height: height - 8 };

/** Position of an item within the lanes, at least 2 pixels wide. */
export function boxOf(scene: Scene, row: Row, item: Item): Box {
  const { y: top, height: full } = insideOf(row);
  const rows = row.lane === undefined ? 1 : row.lane.rows;
  const height = full / rows;
  const y = top + item.row * height;
  const x = xOf(scene, item.t);
  // A back-off may last longer than the tape.
  const end = Math.min(item.end ?? scene.last, Math.max(scene.last, item.t));
  return { x, right: Math.max(xOf(scene, end), x + 2), y, height: rows > 1 ? height - 1 : height };
}
