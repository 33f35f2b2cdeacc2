import { eachWithin, type Layout, rowAt } from '../model/layout.js';
import type { Item } from '../model/timeline.js';
import { following, panned, showing, type View, wholeOf, zoomed } from '../model/view.js';
import { colorsOf } from './colors.js';
import { characterWidth, paint, widestName } from './paint.js';
import { AXIS, boxOf, type Scene, xOf } from './scene.js';

export interface PictureInput
  extends Pick<Scene, 'layout' | 'last' | 'selected' | 'links' | 'lit' | 'failed'> {
  readonly now: (() => number) | undefined;
  readonly view: View | undefined;
  /** Whether the view moves as the tape grows. */
  readonly follows: boolean;
  readonly onSelect: (item: Item | undefined) => void;
  readonly onToggle: (group: string) => void;
  /** Called when the view has stopped moving. */
  readonly onView: (view: View, byUser: boolean) => void;
  /** Called with the height of the lanes in pixels when it changes. */
  readonly onHeight: (height: number) => void;
}

/** Widths of the name column in pixels. */
const NAMES = 190;
const WIDEST_NAMES = 560;

const REST = 8;

/** Initial span in ns of a page that follows a server. */
const FIRST_LIVE = 120e9;

/** Interval in ms between pictures while time passes, and the maximum share of time for them. */
const BEAT = { least: 33, most: 1000 };
const SHARE = 0.2;

export class PictureControl {
  input: PictureInput | undefined;
  view: View = wholeOf(0);
  scroll = 0;
  hovered: Item | undefined;
  readonly canvas: HTMLCanvasElement;
  readonly #hint: HTMLElement;
  #frame = 0;
  #still = REST;
  #byUser = false;
  #isPrinted = false;
  #height = 0;
  #span = FIRST_LIVE;
  #ticking = 0;
  #nextTick = 0;
  #painted = 0;
  /** Called after each picture; true when printing. */
  onPaint: (isPrinted: boolean) => void = () => {};

  #character = 7;
  #widest = 0;
  #measured: Layout | undefined;

  constructor(canvas: HTMLCanvasElement, hint: HTMLElement) {
    this.canvas = canvas;
    this.#hint = hint;
  }

  /** Width of the name column: limited in a narrow page, and in a wide one as wide as its names. */
  get names(): number {
    const { clientWidth } = this.canvas;
    const [narrow, wide] = [clientWidth * 0.28, (clientWidth - 300) * 0.45];
    return Math.round(Math.max(Math.min(NAMES, narrow), Math.min(this.#widest, wide, WIDEST_NAMES)));
  }

  /** Time until which anything is known: now, or the last entry. */
  get last(): number {
    return this.input?.now?.() ?? this.input?.last ?? 0;
  }

  get end(): number {
    return this.input?.now === undefined ? this.last : following(this.#span, this.last).to;
  }

  get scene(): Scene {
    const { layout, selected, links, lit, failed, now } = this.input as PictureInput;
    const { last } = this;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { view, scroll, names, hovered } = this;
    const colors = colorsOf(this.#isPrinted);
    return {
      layout,
      view,
      scroll,
      width,
      height,
      names,
      last,
      colors,
      selected,
      hovered,
      links,
      lit,
      failed,
      character: this.#character,
      isLive: now !== undefined,
    };
  }

  /** Nanoseconds per pixel. */
  get scale(): number {
    return (this.view.to - this.view.from) / Math.max(1, this.canvas.clientWidth - this.names);
  }

  momentAt = (x: number): number => this.view.from + (x - this.names) * this.scale;

  setView(view: View, byUser: boolean): void {
    this.view = view;
    this.#byUser ||= byUser;
    this.#still = 0;
    this.draw();
  }

  /** Zooms. While following, the present keeps its position. */
  zoom(factor: number, x = (this.canvas.clientWidth + this.names) / 2): void {
    if (this.input?.follows) {
      this.#span = Math.max(1e9, (this.view.to - this.view.from) * factor);
      this.setView(following(this.#span, this.last), false);
    } else this.setView(zoomed(this.view, factor, this.momentAt(x), this.end), true);
  }

  /** Shows everything; while following, also new entries. */
  whole(): void {
    this.#span = this.input?.follows ? Number.POSITIVE_INFINITY : FIRST_LIVE;
    this.setView(
      this.input?.follows ? following(this.#span, this.last) : wholeOf(this.end),
      !this.input?.follows,
    );
  }

  pan(pixels: number): void {
    this.setView(panned(this.view, pixels * this.scale, this.end), true);
  }

  run(): void {
    this.#ticking = requestAnimationFrame(this.#tick);
  }

  stop(): void {
    cancelAnimationFrame(this.#ticking);
  }

  /** Draws whenever time has moved by a pixel. */
  #tick = (now: number): void => {
    this.#ticking = requestAnimationFrame(this.#tick);
    const pixel = Math.min(Math.max(this.scale / 1e6, BEAT.least), BEAT.most);
    // Waits at least as long as drawing took before the next frame.
    if (this.#painted > 0) this.#nextTick = this.#painted + Math.max(pixel, (now - this.#painted) / SHARE);
    this.#painted = 0;
    if (now < this.#nextTick || this.input === undefined) return;
    if (this.input.follows) this.view = following(this.#span, this.last);
    this.paintNow();
    this.#painted = now;
  };

  scrollBy(pixels: number): void {
    const { layout } = this.input as PictureInput;
    const most = Math.max(0, layout.height + AXIS - this.canvas.clientHeight);
    this.scroll = Math.min(Math.max(0, this.scroll + pixels), most);
    this.draw();
  }

  show(item: Item): void {
    const { layout } = this.input as PictureInput;
    const row = layout.rows.find(({ lane }) => lane === item.lane);
    if (row !== undefined) {
      const height = this.canvas.clientHeight - AXIS;
      if (row.y < this.scroll || row.y + row.height > this.scroll + height)
        this.scrollBy(row.y - height / 3 - this.scroll);
    }
    this.setView(showing(this.view, item.t, this.end), true);
  }

  itemAt(x: number, y: number): Item | undefined {
    const { layout } = this.input as PictureInput;
    const scene = this.scene;
    const height = y - AXIS + this.scroll;
    const row = rowAt(layout, height);
    if (row === undefined || y < AXIS || x < this.names) return undefined;
    let found: Item | undefined;
    let nearest = 6;
    const reach = 8 * this.scale;
    const t = this.momentAt(x);
    eachWithin(row.items, t - reach, t + reach, (item) => {
      const box = boxOf(scene, row, item);
      if (item.lane.rows > 1 && (height < box.y || height > box.y + box.height)) return;
      const isMark = item.shape !== 'bar' && item.shape !== 'hatch';
      const distance = x < box.x ? box.x - x : x > box.right ? x - box.right : isMark ? 0 : 0.5;
      if (distance > nearest || (isMark && Math.abs(x - xOf(scene, item.t)) > 8)) return;
      nearest = distance;
      found = item;
    });
    return found;
  }

  hover(item: Item | undefined, x: number, y: number): void {
    if (item !== undefined) {
      this.#hint.textContent = item.text;
      const { clientWidth: width, clientHeight: height } = this.canvas;
      this.#hint.style.left = `${Math.max(4, Math.min(x + 12, width - this.#hint.offsetWidth - 8))}px`;
      this.#hint.style.top = `${y + 18 + this.#hint.offsetHeight > height ? y - this.#hint.offsetHeight - 8 : y + 18}px`;
    }
    this.#hint.hidden = item === undefined;
    if (item === this.hovered) return;
    this.hovered = item;
    this.draw();
  }

  print = (isPrinted: boolean): void => {
    this.#isPrinted = isPrinted;
    this.paintNow();
  };

  draw = (): void => {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(this.#step);
  };

  #step = (): void => {
    this.#frame = 0;
    this.paintNow();
    if (this.#still >= REST) return;
    this.#still++;
    if (this.#still < REST) {
      this.draw();
      return;
    }
    const byUser = this.#byUser;
    this.#byUser = false;
    this.input?.onView(this.view, byUser);
  };

  paintNow(): void {
    const { canvas } = this;
    const context = canvas.getContext('2d', { alpha: false });
    if (context === null || this.input === undefined) return;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#character = characterWidth(context);
    if (this.#measured !== this.input.layout) this.#widest = widestName(this.input.layout, this.#character);
    this.#measured = this.input.layout;
    paint(context, this.scene);
    this.onPaint(this.#isPrinted);
    if (canvas.clientHeight === this.#height) return;
    this.#height = canvas.clientHeight;
    this.input.onHeight(this.#height - AXIS);
  }
}
