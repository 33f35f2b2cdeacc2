/** The visible part of the axis, in ns. */
export interface View {
  readonly from: number;
  readonly to: number;
}

const LEAST = 1000;

/** Margin before the start and after the end, as a fraction. */
const MARGIN = 0.02;

export function wholeOf(end: number): View {
  const length = Math.max(end, LEAST);
  return { from: -length * MARGIN, to: length * (1 + MARGIN) };
}

/** Moves a view into a tape of this length, with the same span if it fits. */
export function within({ from, to }: View, end: number): View {
  const whole = wholeOf(end);
  const span = Math.min(Math.max(to - from, LEAST), whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - span);
  return { from: start, to: start + span };
}

/** A factor below 1 zooms in; the moment `at` keeps its position. */
export function zoomed({ from, to }: View, factor: number, at: number, end: number): View {
  const scale = Math.max(factor, LEAST / (to - from));
  return within({ from: at - (at - from) * scale, to: at + (to - at) * scale }, end);
}

/** `by` is in ns. */
export const panned = ({ from, to }: View, by: number, end: number): View =>
  within({ from: from + by, to: to + by }, end);

/** Centers a moment unless it is visible. */
export function showing(view: View, t: number, end: number): View {
  const span = view.to - view.from;
  if (t >= view.from + span * 0.05 && t <= view.to - span * 0.05) return view;
  return within({ from: t - span / 2, to: t + span / 2 }, end);
}

/** In ns: minimum span of a page that follows a server, part of which is free for new entries. */
const LEAST_LIVE = 15e9;
const AHEAD = 0.06;

/** View of a growing tape: the last `span`, or all of a shorter tape. */
export function following(span: number, now: number): View {
  const shown = Math.min(Math.max(span, LEAST), Math.max(now / (1 - AHEAD), LEAST_LIVE));
  const to = Math.max(now + shown * AHEAD, shown);
  return { from: to - shown, to };
}

/** Moments of axis lines, and their distance: 1, 2 or 5 times a power of ten below a minute, then clock units. */
export function ticksOf(
  { from, to }: View,
  most: number,
): { readonly step: number; readonly ticks: number[] } {
  const least = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const decimal = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? power * 10;
  const clock = [
    10e9, 15e9, 30e9, 60e9, 120e9, 300e9, 600e9, 900e9, 1800e9, 3600e9, 7200e9, 14400e9, 43200e9,
  ];
  const step =
    least <= 5e9 ? decimal : (clock.find((each) => each >= least) ?? Math.ceil(least / 86400e9) * 86400e9);
  const first = Math.ceil(Math.max(0, from) / step) * step;
  // Computed in advance, because adding a step to a large number may not change it.
  const length = Math.max(0, Math.floor((to - first) / step) + 1);
  return { step, ticks: Array.from({ length }, (_, index) => first + index * step) };
}
