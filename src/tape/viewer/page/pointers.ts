import { rowAt } from '../model/layout.js';
import type { Item } from '../model/timeline.js';
import type { PictureControl } from './picture-control.js';
import { AXIS } from './scene.js';

const CLICK = 4;

export function followPointers(picture: PictureControl): () => void {
  const { canvas } = picture;
  const down = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const place = ({ clientX, clientY }: MouseEvent) => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const on = <K extends keyof HTMLElementEventMap>(
    name: K,
    work: (event: HTMLElementEventMap[K]) => void,
  ) => {
    canvas.addEventListener(name, work, { passive: false });
    return () => canvas.removeEventListener(name, work);
  };
  const click = (x: number, y: number) => {
    const { input, scroll, names } = picture;
    if (input === undefined) return;
    const row = rowAt(input.layout, y - AXIS + scroll);
    if (x < names && row?.group !== undefined && y > AXIS) input.onToggle(row.group);
    else input.onSelect(picture.itemAt(x, y));
  };
  const pinch = (id: number, to: { x: number; y: number }) => {
    const from = down.get(id) as { x: number; y: number };
    const [, other] = [...down].find(([each]) => each !== id) ?? [];
    if (other === undefined) return;
    const [before, now] = [Math.abs(from.x - other.x), Math.abs(to.x - other.x)];
    if (before > 10 && now > 10) picture.zoom(before / now, (to.x + other.x) / 2);
  };
  const forgets = [
    on('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      down.set(event.pointerId, place(event));
      moved = down.size > 1 ? CLICK * 2 : 0;
    }),
    on('pointermove', (event) => {
      const to = place(event);
      const from = down.get(event.pointerId);
      if (from === undefined) return picture.hover(picture.itemAt(to.x, to.y), to.x, to.y);
      moved += Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
      if (down.size > 1) pinch(event.pointerId, to);
      else if (moved > CLICK) {
        picture.pan(from.x - to.x);
        picture.scrollBy(from.y - to.y);
        picture.hover(undefined, 0, 0);
      }
      down.set(event.pointerId, to);
    }),
    on('pointerup', (event) => {
      const { x, y } = place(event);
      down.delete(event.pointerId);
      if (moved <= CLICK && event.button === 0) click(x, y);
    }),
    on('pointercancel', (event) => void down.delete(event.pointerId)),
    on('pointerleave', () => picture.hover(undefined, 0, 0)),
    on('wheel', (event) => {
      event.preventDefault();
      const { x, y } = place(event);
      if (event.ctrlKey || event.metaKey || y < AXIS) picture.zoom(Math.exp(event.deltaY / 300), x);
      else if (event.shiftKey) picture.pan(event.deltaY);
      else {
        if (event.deltaX !== 0) picture.pan(event.deltaX);
        picture.scrollBy(event.deltaY);
      }
    }),
    on('dblclick', (event) => picture.zoom(0.4, place(event).x)),
    on('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      // Caps Lock makes letters capital.
      const act = keys(picture)[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    }),
  ];
  return () => {
    for (const forget of forgets) forget();
  };
}

function keys(picture: PictureControl): Readonly<Record<string, () => void>> {
  const whole = () => picture.whole();
  const [closer, wider] = [() => picture.zoom(0.7), () => picture.zoom(1 / 0.7)];
  const [next, previous] = [() => step(picture, 1), () => step(picture, -1)];
  return {
    ArrowLeft: () => picture.pan(-80),
    ArrowRight: () => picture.pan(80),
    ArrowUp: () => picture.scrollBy(-40),
    ArrowDown: () => picture.scrollBy(40),
    PageUp: () => picture.scrollBy(-300),
    PageDown: () => picture.scrollBy(300),
    '+': closer,
    '=': closer,
    w: closer,
    '-': wider,
    s: wider,
    0: whole,
    Home: whole,
    n: next,
    p: previous,
    Escape: () => picture.input?.onSelect(undefined),
  };
}

/** Selects the next or previous item of the lane; without a selection the first visible one. */
function step(picture: PictureControl, by: 1 | -1): void {
  const { input, view } = picture;
  if (input === undefined) return;
  const { selected, layout, onSelect } = input;
  const row = layout.rows.find(({ lane }) => lane !== undefined && lane === selected?.lane);
  const items = row?.items ?? layout.rows.find(({ items }) => items.length > 0)?.items ?? [];
  const at = selected === undefined ? -1 : items.indexOf(selected);
  const found: Item | undefined =
    at < 0 ? items.find(({ t }) => t >= view.from) : items[Math.min(items.length - 1, Math.max(0, at + by))];
  if (found === undefined) return;
  onSelect(found);
  picture.show(found);
}
