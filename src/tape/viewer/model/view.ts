/** The part of the axis that is seen, in nanoseconds. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** Nanoseconds that the picture shows at least. */
const LEAST = 1000;

/** Space before the start and after the end, as a part of the whole. */
const MARGIN = 0.02;

/** The whole of a tape of this length. */
export function wholeOf(end: number): View {
  const length = Math.max(end, LEAST);
  return { from: -length * MARGIN, to: length * (1 + MARGIN) };
}

/** The view that stays within a tape of this length, with the same span where that fits. */
export function within({ from, to }: View, end: number): View {
  const whole = wholeOf(end);
  const span = Math.min(Math.max(to - from, LEAST), whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - span);
  return { from: start, to: start + span };
}

/** A factor below 1 shows less; the moment `at` stays where it is. */
export function zoomed({ from, to }: View, factor: number, at: number, end: number): View {
  const scale = Math.max(factor, LEAST / (to - from));
  return within({ from: at - (at - from) * scale, to: at + (to - at) * scale }, end);
}

/** Moved by nanoseconds. */
export const panned = ({ from, to }: View, by: number, end: number): View =>
  within({ from: from + by, to: to + by }, end);

/** The view with a moment in its middle, unless it is in sight. */
export function showing(view: View, t: number, end: number): View {
  const span = view.to - view.from;
  if (t >= view.from + span * 0.05 && t <= view.to - span * 0.05) return view;
  return within({ from: t - span / 2, to: t + span / 2 }, end);
}

/** A page that follows a server shows at least this, in nanoseconds, and a part of it is free for what comes next. */
const LEAST_LIVE = 15e9;
const AHEAD = 0.06;

/** The view of a tape that grows: the last `span`, or all of it as long as it is shorter. */
export function following(span: number, now: number): View {
  const shown = Math.min(Math.max(span, LEAST), Math.max(now / (1 - AHEAD), LEAST_LIVE));
  const to = Math.max(now + shown * AHEAD, shown);
  return { from: to - shown, to };
}

/** Moments for the lines of the axis, and their distance: 1, 2 or 5 of a power of ten below a minute, then of the clock. */
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
  // Counted before, because adding a step to a number that is large enough does not change it.
  const length = Math.max(0, Math.floor((to - first) / step) + 1);
  return { step, ticks: Array.from({ length }, (_, index) => first + index * step) };
}
