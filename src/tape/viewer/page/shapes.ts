import type { Item, Tone } from '../model/timeline.js';
import type { Box, Scene } from './scene.js';

/** Width in pixels of a bar's end with another tone. */
const END = 6;

export function drawSpan(context: CanvasRenderingContext2D, scene: Scene, item: Item, box: Box): void {
  const { colors, selected, hovered, lit, names, width, character } = scene;
  const tone = colors.tones[item.tone];
  const x = Math.max(box.x, names - 4);
  const right = Math.min(box.right, width + 4);
  const { y, height } = box;
  const isTiny = right - x < 4;
  const end = colors.tones[item.endTone ?? item.tone];
  if (item.shape === 'hatch') hatch(context, tone.line, { ...box, x, right });
  else {
    context.fillStyle = isTiny ? end.line : tone.fill;
    context.beginPath();
    context.roundRect(x, y, right - x, height, isTiny ? 0 : Math.min(3, height / 2));
    context.fill();
  }
  if (!isTiny) {
    context.strokeStyle = tone.line;
    context.lineWidth = 1;
    context.setLineDash(item.end === undefined || item.end > scene.last ? [4, 3] : []);
    context.beginPath();
    context.roundRect(x + 0.5, y + 0.5, right - x - 1, height - 1, Math.min(3, height / 2));
    context.stroke();
    context.setLineDash([]);
  }
  if (item.rules !== undefined) {
    context.fillStyle = colors.tones.fault.line;
    context.fillRect(x, y, 3, height);
  }
  if (end !== tone && !isTiny && box.right <= right) {
    context.fillStyle = end.line;
    context.fillRect(right - Math.min(END, right - x), y, Math.min(END, right - x), height);
  }
  if (item === selected || item === hovered || lit.has(item))
    outline(context, scene, item, { ...box, x, right });
  if (height < 11) return;
  const start = Math.max(x, names) + 6;
  const space = right - start - 4;
  // For a short wait the duration is enough.
  const short = item.shape === 'hatch' ? item.label.replace('back-off ', '') : item.label;
  const label = item.label.length * character > space ? fitLabel(short, space, character) : item.label;
  if (label === '') return;
  if (item.shape === 'hatch') {
    context.fillStyle = colors.back;
    context.globalAlpha = 0.85;
    context.fillRect(start - 3, y + 3, Math.min(label.length * character, space) + 6, height - 6);
    context.globalAlpha = 1;
  }
  context.fillStyle = end.text;
  // The width of a character is an average: the maximum keeps a wide text within its bar.
  context.fillText(label, start, y + height / 2 + 0.5, space);
}

function fitLabel(label: string, width: number, character: number): string {
  const fits = Math.floor(width / character);
  if (label.length <= fits) return label;
  return fits < 4 ? '' : `${label.slice(0, fits - 1)}…`;
}

function hatch(context: CanvasRenderingContext2D, color: string, { x, right, y, height }: Box): void {
  context.save();
  context.beginPath();
  context.rect(x, y, right - x, height);
  context.clip();
  context.strokeStyle = color;
  context.globalAlpha = 0.55;
  context.lineWidth = 1;
  context.beginPath();
  const first = x - (x % 7) - height;
  for (let start = first; start < right; start += 7) {
    context.moveTo(start, y + height);
    context.lineTo(start + height, y);
  }
  context.stroke();
  context.restore();
}

function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  item: Item,
  { x, right, y, height }: Box,
): void {
  const { colors, lit, selected, failed } = scene;
  const isLit = lit.has(item) && item !== selected;
  context.strokeStyle = isLit ? colors.tones[failed === undefined ? 'warn' : 'bad'].line : colors.select;
  context.lineWidth = item === scene.hovered && item !== selected ? 1 : 2;
  context.strokeRect(x - 1, y - 1, right - x + 2, height + 2);
}

/** Draws a moment; a flag has its label next to it. Returns where the label ends. */
export function drawMark(
  context: CanvasRenderingContext2D,
  scene: Scene,
  item: Item,
  box: Box,
  space: number,
): number {
  const { colors, selected, hovered, character } = scene;
  const tone = colors.tones[item.tone];
  const { x, y, height } = box;
  const middle = y + height / 2;
  context.fillStyle = tone.line;
  context.strokeStyle = tone.line;
  context.lineWidth = 2;
  if (item.shape === 'dot') {
    context.beginPath();
    context.arc(x, middle, Math.min(4, height / 2), 0, Math.PI * 2);
    context.fill();
  } else if (item.shape === 'tick') context.fillRect(x - 1, y + 1, 2, height - 2);
  else if (item.shape === 'cross') {
    context.beginPath();
    context.moveTo(x - 5, middle - 5);
    context.lineTo(x + 5, middle + 5);
    context.moveTo(x + 5, middle - 5);
    context.lineTo(x - 5, middle + 5);
    context.stroke();
  } else {
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 9, y + 4);
    context.lineTo(x, y + 8);
    context.fill();
    context.fillRect(x - 0.5, y, 1.5, height);
  }
  if (item === selected || item === hovered) {
    context.strokeStyle = colors.select;
    context.lineWidth = 2;
    context.strokeRect(x - 6, y - 1, 14, height + 2);
  }
  if (item.shape !== 'flag') return 0;
  const label = fitLabel(item.label, space - 16, character);
  if (label === '') return x;
  context.fillStyle = tone.text;
  context.fillText(label, x + 12, middle, space - 16);
  return x + 12 + Math.min(label.length * character, space - 16);
}

interface Line {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export function drawArrow(
  context: CanvasRenderingContext2D,
  { colors }: Scene,
  tone: Tone,
  isStrong: boolean,
  { x1, y1, x2, y2 }: Line,
): void {
  context.strokeStyle = colors.tones[tone].line;
  context.fillStyle = colors.tones[tone].line;
  context.globalAlpha = isStrong ? 1 : 0.55;
  context.lineWidth = isStrong ? 1.8 : 1.2;
  const [width, height] = [x2 - x1, y2 - y1];
  context.beginPath();
  context.moveTo(x1, y1);
  // Close items get a straight line: a curve would seem to run back.
  const isStraight = width < 24;
  if (isStraight) context.lineTo(x2, y2);
  else {
    const bend = Math.min(40, width / 3);
    const lift = Math.abs(height) < 4 ? -10 : 0;
    context.bezierCurveTo(x1 + bend, y1 + lift, x2 - bend, y2 + lift, x2 - 2, y2);
  }
  context.stroke();
  if (isStraight && Math.hypot(width, height) < 8) {
    context.globalAlpha = 1;
    return;
  }
  context.save();
  context.translate(x2, y2);
  context.rotate(isStraight ? Math.atan2(height, width) : 0);
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(-7, -4);
  context.lineTo(-7, 4);
  context.fill();
  context.restore();
  context.globalAlpha = 1;
}
