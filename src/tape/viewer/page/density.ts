import { type Activity, activityOf } from '../model/activity.js';
import { eachWithin, type Row } from '../model/layout.js';
import type { Colors } from './colors.js';
import { boxOf, insideOf, type Scene, xOf } from './scene.js';
import { drawSpan } from './shapes.js';

const COLUMN = 4;

/** Pixels from which a call is drawn as a bar. */
const LONG = 8;

/** Draws the number of calls if there are too many to see. */
export function drawDensity(context: CanvasRenderingContext2D, scene: Scene, row: Row): void {
  const { view, names, width, colors, last } = scene;
  const { y, height } = insideOf(row);
  const activity = activityOf([row.items], view, Math.max(1, Math.floor((width - names) / COLUMN)));
  drawColumns(context, colors, activity, { x: names, y, width: width - names, height });
  // A long call is visible anyway.
  const long = ((view.to - view.from) / (width - names)) * LONG;
  eachWithin(row.items, view.from, view.to, (item) => {
    if ((item.end ?? last) - item.t >= long) drawSpan(context, scene, item, boxOf(scene, row, item));
  });
  if (height < 20) return;
  const perColumn = (view.to - view.from) / activity.all.length / 1e9;
  const text = `up to ${activity.most} in ${Number(perColumn.toPrecision(2))} s`;
  const space = context.measureText(text).width + 12;
  const right = Math.min(width, xOf(scene, last));
  context.fillStyle = colors.back;
  context.globalAlpha = 0.8;
  context.fillRect(right - space, y, space, 16);
  context.globalAlpha = 1;
  context.fillStyle = colors.muted;
  context.fillText(text, right - space + 6, y + 8);
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Draws columns for the amount of activity; failures are red and fault rules violet, both at the bottom. */
export function drawColumns(
  context: CanvasRenderingContext2D,
  { tones }: Colors,
  { all, bad, hit, most }: Activity,
  { x, y, width, height }: Place,
): void {
  const column = width / all.length;
  const parts = [
    [all, tones.info.line],
    [hit, tones.fault.line],
    [bad, tones.bad.line],
  ] as const;
  for (const [counts, color] of parts) {
    context.fillStyle = color;
    counts.forEach((count, index) => {
      if (count === 0) return;
      const size = Math.max(2, (count / most) * height);
      context.fillRect(x + index * column, y + height - size, Math.max(1, column - 1), size);
    });
  }
}
