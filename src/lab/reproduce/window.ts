import { SETTLED } from './axis.js';
import { greatest, least } from './extremes.js';
import type { Observation, SeenDeletion } from './observation.js';
import type { PlacedSeen, Span } from './seen.js';

/** The part of what was seen that runs are compared with, at the times that it has in them. */
export interface Window {
  readonly placed: readonly PlacedSeen[];
  readonly deleted: readonly SeenDeletion[];
  /** Seconds that were taken off all times. */
  readonly shift: number;
  /** Since when what is missing is known to be missing, in seconds. */
  readonly begin: number;
}

/** What was seen later than this, in seconds, has a beginning that nobody needs to simulate. */
const LONG = 45 * 60;
/** The longest run, in seconds. */
export const LONGEST_RUN = 60 * 60;
/** A pod that does not end does the same again and again: after as many seconds nothing new is seen. */
const LONGEST_END = 10 * 60;

/** How much later a restart may come in a run than it was seen, and all of them together, in seconds. */
const LATER = { each: 6, most: 60 } as const;

/** How much longer than what was seen a run is, in seconds, so that restarts that come later in it are there. */
export const laterBy = ({ rows, shift, isPlaced }: Observation): number =>
  isPlaced && shift === 0
    ? Math.min(LATER.most, LATER.each * greatest([0, ...rows.map(({ restarts }) => restarts)]))
    : 0;

/** Leaves out what was long before: of a pod that was deleted, all but what was seen near that. */
export function inWindow(placed: readonly PlacedSeen[], deleted: readonly SeenDeletion[]): Window {
  const deletion = least(deleted.flatMap(({ time }) => (time === undefined ? [] : [time.from])));
  const seen = placed.flatMap(({ what, time }) =>
    what === 'created' || time === undefined ? [] : [time.from],
  );
  const first = Number.isFinite(deletion) ? deletion : least(seen);
  const shift = Number.isFinite(first) && first > LONG ? first - SETTLED : 0;
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
    begin: shift > 0 || Number.isFinite(deletion) ? beginOf(kept) : 0,
  };
}

/** The first event: those before it have expired. 0 if the pod's first event is there. */
function beginOf(placed: readonly PlacedSeen[]): number {
  const events = placed.filter((each) => each.what === 'event');
  const begins = events.flatMap(({ reason, first }) => (reason === 'Scheduled' ? [0] : (first?.from ?? [])));
  return events.length === 0 ? 0 : Math.max(0, least(begins));
}

/** The part from one time to another: of an event that came again and again, as many. */
function cut(each: PlacedSeen, from: number, to: number): PlacedSeen[] {
  const { time, first } = each;
  if (time === undefined || each.what === 'created') return [each];
  if (each.what === 'row' && time.from > to && each.status === 'Terminating')
    return [{ ...each, time: { from: to, to }, until: undefined }];
  if (each.what !== 'event' || first === undefined) return time.to < from || time.from > to ? [] : [each];
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
