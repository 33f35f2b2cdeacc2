import type { History, Item } from './history.js';

/** A kubelet program's behavior with a pod that no run of the thin kubelet shows. */
export interface Difference {
  readonly track: string;
  readonly what: string;
}

/** Offset of each kubelet's own periods, such as those of syncs and garbage collection, in s. */
export const LATER = 80;
/** Tolerance of times in s, compared with the thin kubelet's runs. */
const NEAR = 2;
/** Fraction by which the range of the thin kubelet's times is widened: a few runs do not show its ends. */
const WIDER = 0.5;

/**
 * Differences of a pod's history from the thin kubelet's. Whatever one of them does until `until` (s), the other must
 * have done later: in the same order, at times of the thin kubelet's runs.
 */
export function differencesFrom(
  real: History,
  thin: readonly History[],
  until: number,
  containers: number,
): readonly Difference[] {
  const tracks = new Set([real, ...thin].flatMap((history) => [...history.keys()]));
  return [...tracks].sort().flatMap((track) => {
    const ours = thin.map((history) => history.get(track) ?? []);
    const differs = track === 'rows' && containers > 1 ? unknownRow : difference;
    const what = differs(real.get(track) ?? [], ours, until);
    return what === undefined ? [] : [{ track, what }];
  });
}

/** A row that no run of the thin kubelet has. The order in which a pod's containers change is chance. */
function unknownRow(
  real: readonly Item[],
  thin: readonly (readonly Item[])[],
  until: number,
): string | undefined {
  const known = new Set(thin.flatMap((items) => items.map(({ text }) => text)));
  const unknown = real.find(({ t, text }) => t <= until && !known.has(text));
  return unknown && `no run of thin shows ${textOf(unknown)}`;
}

function difference(
  real: readonly Item[],
  thin: readonly (readonly Item[])[],
  until: number,
): string | undefined {
  const same = thin.filter((items) => partsAt(real, items, until) === undefined);
  if (same.length > 0) return lateness(real, same, until);
  const parts = thin.map((items) => ({ items, at: partsAt(real, items, until) ?? 0 }));
  const { items, at } = parts.reduce((best, each) => (each.at > best.at ? each : best));
  return `after ${textOf(real[at - 1])}: real ${textOf(real[at])}, thin ${textOf(items[at])}`;
}

/** The first index at which two tracks differ; undefined if they don't. */
function partsAt(one: readonly Item[], other: readonly Item[], until: number): number | undefined {
  const length = Math.max(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [one[index], other[index]];
    const first = Math.min(a?.t ?? Number.POSITIVE_INFINITY, b?.t ?? Number.POSITIVE_INFINITY);
    if (first > until) return undefined;
    if (a?.text !== b?.text) return index;
  }
  return undefined;
}

/** The first item whose time is far from all of the thin kubelet's runs. */
function lateness(
  real: readonly Item[],
  thin: readonly (readonly Item[])[],
  until: number,
): string | undefined {
  for (const [index, item] of real.entries()) {
    if (item.t > until) return undefined;
    const times = thin.flatMap((items) => items[index]?.t ?? []);
    const [low, high] = [Math.min(...times), Math.max(...times)];
    const slack = NEAR + (high - low) * WIDER;
    if (item.t < low - slack || item.t > high + slack)
      return `${item.text} at another time: real ${item.t.toFixed(1)} s, thin ${low.toFixed(1)} to ${high.toFixed(1)} s`;
  }
  return undefined;
}

const textOf = (item: Item | undefined): string => (item === undefined ? 'nothing' : `"${item.text}"`);
