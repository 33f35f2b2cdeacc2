import type { Simulation } from '../../scenario/run/run.js';
import { middle, type Span } from '../facts.js';
import type { Observation } from '../observation.js';
import { logKind } from '../read/log-kinds.js';

const MOST = 8;
/** Positions closer than this, in seconds, are the same. */
const APART = 2;

/** Offsets in seconds that move an observation to each position where the run shows its first part. */
export function placementsOf(seen: Observation, run: Simulation): number[] {
  if (seen.isPlaced) return [0];
  const [first] = firstsOf(seen, run).sort((a, b) => a.time.from - b.time.from);
  if (first === undefined) return [0];
  const places: number[] = [];
  for (const t of first.shown) if (t - (places.at(-1) ?? Number.NEGATIVE_INFINITY) > APART) places.push(t);
  return places.length === 0 ? [0] : places.slice(0, MOST).map((t) => t - middle(first.time));
}

function firstsOf(seen: Observation, run: Simulation): { time: Span; shown: number[] }[] {
  return [
    first(seen.rows, run.rows, (a, b) => a.pod === b.pod && a.status === b.status && a.ready === b.ready),
    first(seen.events, run.events, (a, b) => a.pod === b.pod && a.reason === b.reason),
    first(seen.nodes, run.nodes, (a, b) => a.isReady === (b.ready === 'True')),
    first(seen.log, run.log, (a, b) => a.kind === logKind(b.text)),
  ].flat();
}

function first<T extends { readonly time: Span | undefined }, S extends { readonly t: number }>(
  seen: readonly T[],
  shown: readonly S[],
  isSame: (a: T, b: S) => boolean,
): { time: Span; shown: number[] }[] {
  const [earliest] = seen
    .flatMap((each) => (each.time === undefined ? [] : [{ each, time: startOf(each) ?? each.time }]))
    .sort((a, b) => a.time.from - b.time.from);
  if (earliest === undefined) return [];
  const times = shown.filter((each) => isSame(earliest.each, each)).map(({ t }) => t);
  return [{ time: earliest.time, shown: times }];
}

const startOf = (each: object): Span | undefined =>
  'first' in each ? (each.first as Span | undefined) : undefined;

/** Shifts the observation by some seconds. */
export function movedBy(seen: Observation, by: number): Observation {
  const move = (span: Span | undefined) => span && { from: span.from + by, to: span.to + by };
  const all = <T extends { readonly time: Span | undefined }>(list: readonly T[]): T[] =>
    list.map((each) => ({ ...each, time: move(each.time) }));
  return {
    ...seen,
    rows: all(seen.rows),
    events: all(seen.events).map((each) => ({ ...each, first: move(each.first) })),
    nodes: all(seen.nodes),
    log: all(seen.log),
    containers: all(seen.containers),
    ends: all(seen.ends),
    begin: seen.begin === 0 ? 0 : seen.begin + by,
    end: seen.end + by,
  };
}
