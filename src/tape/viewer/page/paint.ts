import { isDense } from '../model/activity.js';
import { eachWithin, type Layout, type Row } from '../model/layout.js';
import { tickText } from '../model/names.js';
import type { Item } from '../model/timeline.js';
import { ticksOf } from '../model/view.js';
import { drawDensity } from './density.js';
import { AXIS, boxOf, type Scene, xOf } from './scene.js';
import { drawArrow, drawMark, drawSpan } from './shapes.js';

const FONT = '12px ui-sans-serif, system-ui, sans-serif';

const SAMPLE = 'back-off 20s StartContainer running exit 1';

/** Width of the longest name in pixels, with its indent and in bold. */
export const widestName = ({ rows }: Layout, character: number): number =>
  Math.max(
    0,
    ...rows.map((row) => (row.lane === undefined ? 0 : shortName(row).length * character * 1.1 + 40)),
  );

/** Average character width of a label in this machine's font. */
export function characterWidth(context: CanvasRenderingContext2D): number {
  context.font = FONT;
  return context.measureText(SAMPLE).width / SAMPLE.length;
}

export function paint(context: CanvasRenderingContext2D, scene: Scene): void {
  const { view, width, height, colors, names, layout, scroll } = scene;
  context.fillStyle = colors.back;
  context.fillRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = 'middle';
  const rows = layout.rows.filter(({ y, height: size }) => y + size > scroll && y < scroll + height);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  context.translate(0, AXIS - scroll);
  for (const row of rows) paintGround(context, scene, row);
  paintGrid(context, scene);
  context.save();
  context.beginPath();
  context.rect(names, scroll - AXIS, width - names, height + AXIS);
  context.clip();
  paintHits(context, scene, rows);
  for (const row of rows)
    if (row.lane?.kind === 'call' && isDense(row.items, view, width - names))
      drawDensity(context, scene, row);
    else paintItems(context, scene, row);
  paintLinks(context, scene);
  paintNow(context, scene);
  context.restore();
  for (const row of rows) paintName(context, scene, row);
  context.restore();
  paintAxis(context, scene);
}

function paintGround(context: CanvasRenderingContext2D, scene: Scene, row: Row): void {
  const { colors, width } = scene;
  if (row.lane === undefined || row.group !== undefined) {
    context.fillStyle = colors.grid;
    context.fillRect(0, row.y, width, 1);
  }
  if (row.lane === undefined || row.lane.kind === 'row') {
    context.fillStyle = colors.stripe;
    context.fillRect(0, row.y + 1, width, row.height - 1);
  }
}

function paintGrid(context: CanvasRenderingContext2D, scene: Scene): void {
  const { view, width, names, layout, colors, last: end } = scene;
  context.fillStyle = colors.grid;
  for (const t of ticksOf(view, ticksFor(scene)).ticks)
    context.fillRect(Math.round(xOf(scene, t)), 0, 1, layout.height);
  // Nothing is known before the first entry and after the last one.
  context.globalAlpha = 0.5;
  const last = xOf(scene, end);
  if (last < width) context.fillRect(Math.max(names, last), 0, width - last, layout.height);
  const first = xOf(scene, 0);
  if (first > names) context.fillRect(names, 0, first - names, layout.height);
  context.globalAlpha = 1;
}

/** The moment at which a check fails, and the present of a page that follows a server. */
function paintNow(context: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, colors, failed, isLive, last, width } = scene;
  if (isLive) {
    context.fillStyle = colors.select;
    context.fillRect(Math.round(xOf(scene, last)), 0, 1.5, layout.height);
  }
  if (failed === undefined) return;
  const x = Math.round(xOf(scene, failed));
  context.fillStyle = colors.back;
  context.globalAlpha = 0.6;
  if (x < width) context.fillRect(x, 0, width - x, layout.height);
  context.globalAlpha = 1;
  context.fillStyle = colors.tones.bad.line;
  context.fillRect(x - 1, 0, 2, layout.height);
}

function paintHits(context: CanvasRenderingContext2D, scene: Scene, rows: readonly Row[]): void {
  const flags = scene.layout.rows.filter(({ lane }) => lane?.kind === 'fault');
  const bottom = (rows.at(-1)?.y ?? 0) + (rows.at(-1)?.height ?? 0);
  for (const flag of flags) {
    let last = Number.NEGATIVE_INFINITY;
    eachWithin(flag.items, scene.view.from, scene.view.to, (item) => {
      const x = Math.round(xOf(scene, item.t));
      if (item.tone !== 'fault' || x - last < 3) return;
      last = x;
      context.fillStyle = scene.colors.tones.fault.line;
      context.globalAlpha = 0.35;
      context.fillRect(x, flag.y + 10, 1, bottom - flag.y - 10);
      context.globalAlpha = 1;
    });
  }
}

function paintItems(context: CanvasRenderingContext2D, scene: Scene, row: Row): void {
  const { view, selected, hovered, lit } = scene;
  const { lane, items } = row;
  if (lane === undefined) return;
  const perPixel = (view.to - view.from) / (scene.width - scene.names);
  /** For each row of the lane: where the last bar ends, and whether it mattered. */
  const last: number[] = [];
  const badAt: number[] = [];
  let labelEnd = 0;
  const next = nextMarks(items, lane.kind);
  eachWithin(items, view.from - 8 * perPixel, view.to + 8 * perPixel, (item) => {
    const isMarked = item === selected || item === hovered || (lit.size > 0 && lit.has(item));
    if (item.shape === 'bar' || item.shape === 'hatch') {
      const matters = (item.endTone ?? item.tone) === 'bad' || item.rules !== undefined;
      const place = matters ? badAt : last;
      const left = xOf(scene, item.t);
      const right = Math.max(xOf(scene, item.end ?? scene.last), left + 2);
      const before = place[item.row] ?? Number.NEGATIVE_INFINITY;
      // Draws small bars on the same pixel once.
      if (!isMarked && right - left < 4 && right - before < 0.8) return;
      place[item.row] = Math.max(right, before);
      drawSpan(context, scene, item, boxOf(scene, row, item));
    } else {
      const box = boxOf(scene, row, item);
      if (!isMarked && box.x - (last[0] ?? Number.NEGATIVE_INFINITY) < 1.5 && item.tone !== 'fault') return;
      last[0] = box.x;
      const space = xOf(scene, next(item) ?? view.to) - box.x;
      labelEnd = Math.max(labelEnd, drawMark(context, scene, item, box, box.x < labelEnd ? 0 : space));
    }
  });
}

/**
 * In lanes with labels next to their marks: the next mark's position, so that labels don't overlap. Of a step and a
 * fault at the same moment the fault gets its label.
 */
function nextMarks(items: readonly Item[], kind: string): (item: Item) => number | undefined {
  if (kind !== 'fault') return () => 0;
  const later = new Map<Item, number>();
  let next: Item | undefined;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index] as Item;
    if (next !== undefined && next.t > item.t) later.set(item, next.t);
    else if (next !== undefined) {
      if (next.tone === 'fault') later.set(item, item.t);
      else later.set(item, later.get(next) ?? Number.POSITIVE_INFINITY);
    }
    next = item;
  }
  return (item) => later.get(item);
}

function paintLinks(context: CanvasRenderingContext2D, scene: Scene): void {
  const { selected, hovered, links, layout, view } = scene;
  const inSight = links.filter(({ from, to }) => (from.end ?? from.t) <= view.to && to.t >= view.from);
  const rowOf = new Map(layout.rows.flatMap((row) => (row.lane ? [[row.lane, row] as const] : [])));
  const few = inSight.length <= 40;
  for (const { from, to, why } of inSight) {
    const isChosen = [from, to].some((item) => item === selected || item === hovered);
    if (!isChosen && !(few && why === 'restart')) continue;
    const [one, other] = [rowOf.get(from.lane), rowOf.get(to.lane)];
    if (one === undefined || other === undefined) continue;
    const [start, target] = [boxOf(scene, one, from), boxOf(scene, other, to)];
    const x1 = why === 'hit' ? start.x : xOf(scene, from.end ?? from.t);
    drawArrow(context, scene, why === 'hit' ? 'fault' : 'info', isChosen, {
      x1,
      y1: start.y + start.height / 2,
      // A rule acts while the call is in progress.
      x2: Math.max(x1, target.x),
      y2: target.y + target.height / 2,
    });
  }
}

function paintName(context: CanvasRenderingContext2D, scene: Scene, row: Row): void {
  const { names, colors } = scene;
  const isTitle = row.lane === undefined;
  const isPod = row.lane?.kind === 'row' || (isTitle && row.group !== undefined);
  context.fillStyle = isPod || isTitle ? colors.stripe : colors.back;
  context.fillRect(0, row.y + (row.group === undefined && !isTitle ? 0 : 1), names, row.height);
  context.fillStyle = colors.grid;
  context.fillRect(names - 1, row.y, 1, row.height);
  context.fillStyle = isPod || isTitle || row.group !== undefined ? colors.text : colors.muted;
  context.font = isPod || isTitle ? `600 ${FONT}` : FONT;
  const indent = isTitle || isPod ? 10 : 22;
  const mark = isPod && row.group !== undefined ? (row.isOpen ? '▾ ' : '▸ ') : '';
  // A title takes the whole row.
  const text = fitted(context, `${mark}${shortName(row)}`, (isTitle ? scene.width : names) - indent - 8);
  context.fillText(text, indent, row.y + (row.group === undefined ? 0 : 2) + row.height / 2);
  context.font = FONT;
}

/** Hides namespace `default`. */
const shortName = ({ label, lane }: Row): string =>
  lane === undefined || lane.kind === 'row' ? label.replace(/^default\//, '') : label;

const ticksFor = ({ width, names }: Scene): number => Math.max(2, Math.floor((width - names) / 90));

function paintAxis(context: CanvasRenderingContext2D, scene: Scene): void {
  const { width, colors, names, view } = scene;
  context.fillStyle = colors.stripe;
  context.fillRect(0, 0, width, AXIS);
  context.fillStyle = colors.grid;
  context.fillRect(0, AXIS - 1, width, 1);
  context.fillStyle = colors.muted;
  context.textAlign = 'center';
  const { step, ticks } = ticksOf(view, ticksFor(scene));
  for (const t of ticks) {
    const x = xOf(scene, t);
    const text = tickText(t, step);
    const half = context.measureText(text).width / 2 + 4;
    if (x > names) context.fillText(text, Math.min(Math.max(x, names + half), width - half), AXIS / 2);
  }
  context.textAlign = 'left';
}

interface Measure {
  measureText(text: string): { readonly width: number };
}

/** Maximum number of characters to measure: nothing on the page fits more. */
const MOST = 200;

/** Shortens a text in the middle, because names of pods and causes often differ only at their end. */
export function fitted(context: Measure, text: string, width: number): string {
  const fits = (part: string) => context.measureText(part).width <= width;
  if (text.length <= MOST && fits(text)) return text;
  let length = Math.min(text.length - 1, MOST);
  while (length > 1 && !fits(shortened(text, length))) length--;
  return shortened(text, length);
}

const shortened = (text: string, length: number): string => {
  const tail = length >> 1;
  return `${text.slice(0, length - tail)}…${text.slice(text.length - tail)}`;
};
