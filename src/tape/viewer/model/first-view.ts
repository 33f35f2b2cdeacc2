import type { Timeline } from './timeline.js';
import { type View, wholeOf } from './view.js';

/** Maximum and minimum number of restarts in the first view, and the number of pods above which it shows everything. */
const MOST = 10;
const LEAST = 3;
const MOST_PODS = 12;

const READABLE = 0.025;

const MARGIN = 0.04;

/** Everything; or, if the bars would be slivers, as many of the first restarts as are readable. */
export function firstViewOf(timelines: readonly Timeline[]): View {
  const whole = wholeOf(Math.max(0, ...timelines.map(({ end }) => end)));
  const pods = new Set(timelines.flatMap(({ lanes }) => lanes.map(({ pod }) => pod)));
  const restarts = timelines
    .flatMap(({ links }) => links.filter(({ why }) => why === 'restart'))
    .sort((a, b) => a.to.t - b.to.t);
  const [first] = restarts;
  if (first === undefined || restarts.length < LEAST || pods.size > MOST_PODS) return whole;
  const lengths = restarts.map(({ from }) => (from.end ?? from.t) - from.t).sort((a, b) => a - b);
  const typical = lengths[lengths.length >> 1] ?? 0;
  const isReadable = ({ from, to }: View) => typical > (to - from) * READABLE;
  if (isReadable(whole)) return whole;
  const start = restarts.reduce((least, { from }) => Math.min(least, from.t), first.from.t);
  const views = restarts.slice(LEAST - 1, MOST).map(({ to }) => {
    const span = to.t + typical - start;
    return {
      from: Math.max(whole.from, start - span * MARGIN),
      to: Math.min(whole.to, to.t + typical + span * MARGIN),
    };
  });
  const view = views.findLast(isReadable) ?? views[0] ?? whole;
  // Users look for faults and steps of a scenario.
  const acts = timelines.flatMap(({ lanes }) =>
    lanes.flatMap(({ kind, items }) => (kind === 'fault' ? items : [])),
  );
  return acts.every(({ t }) => t <= view.to) ? view : whole;
}
