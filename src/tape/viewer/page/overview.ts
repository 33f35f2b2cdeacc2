import { activityOf } from '../model/activity.js';
import { eachWithin, type Layout } from '../model/layout.js';
import type { Tone } from '../model/timeline.js';
import { type View, wholeOf, within } from '../model/view.js';
import { type Colors, colorsOf } from './colors.js';
import { drawColumns } from './density.js';
import type { PictureControl } from './picture-control.js';

/** Pixels at an edge of the window that drag the edge; a narrower window only moves. */
const EDGE = 6;

/** Band with the states of pods, above the columns of calls. */
const BAND = { y: 4, height: 9 };
const COLUMNS = { y: 16, height: 20 };

/** Width of a bar's end with another tone, in pixels. */
const END = 3;

const ORDER: readonly Tone[] = ['idle', 'good', 'wait', 'warn', 'bad'];

/** Draws the whole tape in a strip, with the picture's view as a window that mouse and fingers can move. */
export class Overview {
  readonly #canvas: HTMLCanvasElement;
  readonly #picture: PictureControl;
  /** Cached background of the window, and its inputs. */
  #ground: HTMLCanvasElement | undefined;
  #drawn: readonly unknown[] = [];
  #grabbed: ((t: number) => View) | undefined;

  constructor(canvas: HTMLCanvasElement, picture: PictureControl) {
    this.#canvas = canvas;
    this.#picture = picture;
    canvas.addEventListener('pointerdown', this.#grab);
    canvas.addEventListener('pointermove', this.#move);
    canvas.addEventListener('pointerup', this.#leave);
    canvas.addEventListener('pointercancel', this.#leave);
  }

  get #whole(): View {
    return wholeOf(this.#picture.end);
  }

  #xOf = (t: number): number => {
    const { names } = this.#picture;
    const { from, to } = this.#whole;
    return names + ((t - from) / (to - from)) * (this.#canvas.clientWidth - names);
  };

  #timeAt = ({ clientX }: PointerEvent): number => {
    const { names } = this.#picture;
    const { left, width } = this.#canvas.getBoundingClientRect();
    const { from, to } = this.#whole;
    return from + ((clientX - left - names) / (width - names)) * (to - from);
  };

  /** The effect of dragging from this moment on the view. */
  #gripAt(t: number): (t: number) => View {
    const { from, to } = this.#picture.view;
    const edge =
      ((this.#whole.to - this.#whole.from) / (this.#canvas.clientWidth - this.#picture.names)) * EDGE;
    const isWide = to - from > edge * 4;
    if (isWide && Math.abs(t - from) < edge) return (now) => ({ from: Math.min(now, to - edge), to });
    if (isWide && Math.abs(t - to) < edge) return (now) => ({ from, to: Math.max(now, from + edge) });
    const offset = t >= from && t <= to ? t - from : (to - from) / 2;
    return (now) => ({ from: now - offset, to: now - offset + to - from });
  }

  #grab = (event: PointerEvent): void => {
    this.#canvas.setPointerCapture(event.pointerId);
    this.#grabbed = this.#gripAt(this.#timeAt(event));
    this.#move(event);
  };

  #move = (event: PointerEvent): void => {
    if (this.#grabbed === undefined) return;
    this.#picture.setView(within(this.#grabbed(this.#timeAt(event)), this.#picture.end), true);
  };

  #leave = (): void => {
    this.#grabbed = undefined;
  };

  paint(isPrinted: boolean): void {
    const { input, view, names } = this.#picture;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const context = this.#canvas.getContext('2d', { alpha: false });
    if (context === null || input === undefined || width <= names) return;
    const ratio = devicePixelRatio || 1;
    const colors = colorsOf(isPrinted);
    const pixels = [Math.round(width * ratio), Math.round(height * ratio)] as const;
    if (this.#canvas.width !== pixels[0] || this.#canvas.height !== pixels[1])
      [this.#canvas.width, this.#canvas.height] = pixels;
    context.drawImage(this.#groundOf(input.layout, colors, pixels, ratio), 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [left, right] = [Math.max(names, this.#xOf(view.from)), Math.min(width, this.#xOf(view.to))];
    context.fillStyle = colors.back;
    context.globalAlpha = 0.62;
    context.fillRect(names, 0, left - names, height);
    context.fillRect(right, 0, width - right, height);
    context.globalAlpha = 1;
    context.strokeStyle = colors.select;
    context.lineWidth = 1.5;
    context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left - 1.5), height - 2.5);
    context.fillStyle = colors.select;
    for (const x of [left, right]) context.fillRect(x - 1.5, height / 2 - 7, 3, 14);
  }

  /** Redraws the strip without the window only after changes. */
  #groundOf(
    layout: Layout,
    colors: Colors,
    pixels: readonly [number, number],
    ratio: number,
  ): HTMLCanvasElement {
    const pixel = (this.#whole.to - this.#whole.from) / pixels[0];
    const from = [layout, colors, ...pixels, Math.round(this.#picture.end / pixel)];
    if (this.#ground !== undefined && from.every((value, index) => value === this.#drawn[index]))
      return this.#ground;
    const ground = this.#ground ?? document.createElement('canvas');
    [ground.width, ground.height] = pixels;
    const context = ground.getContext('2d', { alpha: false });
    if (context !== null) {
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.#paintGround(context, layout, colors);
    }
    this.#ground = ground;
    this.#drawn = from;
    return ground;
  }

  #paintGround(context: CanvasRenderingContext2D, { rows }: Layout, colors: Colors): void {
    const { names, last } = this.#picture;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const whole = this.#whole;
    context.fillStyle = colors.stripe;
    context.fillRect(0, 0, width, height);
    context.fillStyle = colors.muted;
    context.font = '12px ui-sans-serif, system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillText('overview', names > 120 ? 22 : 10, height / 2);
    const lanes = rows.flatMap(({ lane }) => lane ?? []);
    const shown = lanes.filter(
      ({ kind }) => kind === (lanes.some((lane) => lane.kind === 'row') ? 'row' : 'container'),
    );
    for (const tone of ORDER) {
      context.fillStyle = colors.tones[tone].line;
      context.globalAlpha = tone === 'good' || tone === 'idle' ? 0.45 : 0.8;
      for (const { items } of shown) {
        let drawn = Number.NEGATIVE_INFINITY;
        eachWithin(items, whole.from, whole.to, (item) => {
          if (item.tone !== tone && item.endTone !== tone) return;
          const right = this.#xOf(Math.min(item.end ?? last, last));
          const left = item.tone === tone ? this.#xOf(item.t) : right - END;
          const x = Math.max(left, drawn);
          if (right - drawn < 0.5) return;
          drawn = Math.max(right, x + 1);
          context.fillRect(x, BAND.y, drawn - x, BAND.height);
        });
      }
    }
    context.globalAlpha = 1;
    const calls = lanes.flatMap(({ kind, items }) => (kind === 'call' ? [items] : []));
    const activity = activityOf(calls, whole, Math.max(1, Math.floor((width - names) / 3)));
    drawColumns(context, colors, activity, { x: names, width: width - names, ...COLUMNS });
    context.fillStyle = colors.tones.fault.line;
    for (const { kind, items } of lanes)
      if (kind === 'fault')
        for (const item of items)
          if (item.tone === 'fault') context.fillRect(this.#xOf(item.t), 2, 1.5, height - 4);
    context.fillStyle = colors.grid;
    context.fillRect(0, height - 1, width, 1);
  }
}
