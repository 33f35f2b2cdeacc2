import { SETTLED } from './axis.js';
import { greatest, least } from './extremes.js';
import type { PlacedSeen, Span } from './facts.js';
import type { Observation, SeenDeletion } from './observation.js';

export interface Window {
  readonly placed: readonly PlacedSeen[];
  readonly deleted: readonly SeenDeletion[];
  /** Seconds subtracted from all times. */
  readonly shift: number;
  /** In seconds: before this time, missing observations mean nothing. */
  readonly begin: number;
}

/** In seconds: the beginning of longer observations need not be simulated. */
const LONG = 45 * 60;
/** In seconds. */
export const LONGEST_RUN = 60 * 60;
/** In seconds: a pod that does not end repeats itself, so later times show nothing new. */
const LONGEST_END = 10 * 60;

/** In seconds: how much later than observed each restart of a run may happen, and all of them together. */
const LATER = { each: 6, most: 60 } as const;

/** Extra length of a run in seconds, for restarts that happen later than observed. */
export const laterBy = ({ rows, shift, isPlaced }: Observation): number =>
  isPlaced && shift === 0
    ? Math.min(LATER.most, LATER.each * greatest([0, ...rows.map(({ restarts }) => restarts)]))
    : 0;

export function inWindow(placed: readonly PlacedSeen[], deleted: readonly SeenDeletion[]): Window {
  const deletion = least(deleted.flatMap(({ time }) => (time === undefined ? [] : [time.from])));
  const shift = shiftOf(placed, deletion);
  const end = Number.isFinite(deletion) ? Math.max(deletion - shift, 0) + LONGEST_END : LONGEST_RUN;
  const move = (span: Span | undefined) => span && { from: span.from - shift, to: span.to - shift };
  const moved = placed.map(
    (each) =>
      ({ ...each, time: move(each.time), first: move(each.first), until: move(each.until) }) as PlacedSeen,
  );
  const kept = moved.flatMap((each) => cut(each, shift > 0 ? 0 : Number.NEGATIVE_INFINITY, end));
  return {
    placed: kept,
    deleted: deleted.map((each) => ({ ...each, time: move(each.time) })),
    shift,
    begin: shift > 0 || Number.isFinite(deletion) ? Math.min(beginOf(kept), deletion - shift) : 0,
  };
}

interface Lasting {
  readonly what: PlacedSeen['what'];
  /** First time of a repeated event; of others, the same as `time`. */
  readonly first: Span;
  readonly time: Span;
}

/** In seconds: the beginning that need not be simulated. `deletion` is infinite without one. */
function shiftOf(placed: readonly PlacedSeen[], deletion: number): number {
  const isDeleted = Number.isFinite(deletion);
  const seen = placed.flatMap(({ what, time, first = time }): Lasting[] =>
    what === 'created' || time === undefined || first === undefined ? [] : [{ what, first, time }],
  );
  // A row of today says more than the first of many events.
  const hasRows = placed.some(({ what }) => what === 'row');
  const earliest = least(seen.map(({ first, time }) => (hasRows ? time : first).from));
  const settled = isDeleted ? deletion : (afterGap(seen) ?? earliest);
  // A container's run begins with the simulated one.
  const begun = placed.flatMap((each) =>
    each.what === 'end' && each.time !== undefined && each.ran !== undefined
      ? [each.time.from - each.ran]
      : [],
  );
  const begin = isDeleted ? deletion : Math.min(settled, least(begun));
  return Number.isFinite(begin) && begin > LONG ? Math.min(begin, settled - SETTLED) : 0;
}

/** When events begin again after more than `LONG` without any observation: what came before is over. */
function afterGap(seen: readonly Lasting[]): number | undefined {
  const inOrder = [...seen].sort((a, b) => a.first.from - b.first.from);
  let [until, begin] = [inOrder[0]?.time.to ?? 0, 0];
  let found: number | undefined;
  for (const { what, first, time } of inOrder) {
    if (first.from - until > LONG) begin = first.from;
    if (begin > 0 && what === 'event') found = begin;
    until = Math.max(until, time.to);
  }
  return found;
}

/** Time of the first event: earlier ones have expired. 0 if it is the pod's first one. */
function beginOf(placed: readonly PlacedSeen[]): number {
  const events = placed.filter((each) => each.what === 'event');
  const begins = events.flatMap(({ reason, first }) => (reason === 'Scheduled' ? [0] : (first?.from ?? [])));
  return events.length === 0 ? 0 : Math.max(0, least(begins));
}

/** Cuts an observation to an interval; scales the number of a repeated event. */
function cut(each: PlacedSeen, from: number, to: number): PlacedSeen[] {
  const { time, first } = each;
  if (time === undefined || each.what === 'created') return [each];
  if (each.what === 'row' && time.from > to && each.status === 'Terminating')
    return [{ ...each, time: { from: to, to }, until: undefined }];
  if (each.what !== 'event' || first === undefined)
    return time.to < from || time.from > to
      ? []
      : [{ ...each, time: { ...time, to: Math.min(time.to, to) } }];
  if (time.to < from || first.from > to) return [];
  const [begun, last] = [Math.max(first.from, from), Math.min(time.from, to)];
  const length = time.from - first.from;
  if (begun === first.from && last === time.from) return [each];
  const part = length <= 0 ? 1 : (last - begun) / length;
  return [
    {
      ...each,
      count: 1 + Math.round((each.count - 1) * part),
      first: begun === first.from ? first : { from: begun, to: begun },
      time: last === time.from ? time : { from: last, to: last },
    },
  ];
}
