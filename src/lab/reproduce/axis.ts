import { greatest, least } from './extremes.js';
import type { PlacedSeen, Seen, SeenTime, Span } from './facts.js';

/** Creation times of pods in seconds, by their names in the runs. */
export type Creations = ReadonlyMap<string, number>;

/** In seconds: a pod that was first seen ending has run for this long, so its startup is over. */
export const SETTLED = 60;
/** Times without a year are earlier than this (clock-times.ts). */
const DATED = Date.UTC(2001, 0, 1);
const DAY = 86_400_000;

/** Places the contents of several files on one axis: seconds since the kubelet's start. */
export function placeSeen(files: readonly (readonly Seen[])[], creations: Creations): PlacedSeen[] {
  const everything = files.flat();
  const all = files.map((seen) => dated(seen, everything));
  const createdAt = (pod: string) => creations.get(pod) ?? 0;
  const zero = zeroOf(all.flat(), createdAt);
  const oldestRow = oldestRowOf(all.flat(), createdAt);
  return all.flatMap((seen) => placeFile(seen, { zero, oldestRow, createdAt }));
}

/** Completes times without a year or day from the other times. */
function dated(seen: readonly Seen[], all: readonly Seen[]): readonly Seen[] {
  const clocks = all.flatMap(allTimes).filter((time) => time.by === 'clock');
  const known = clocks.filter(({ ms }) => ms >= DATED).map(({ ms }) => ms);
  if (known.length === 0) return seen;
  const reference = least(known);
  const fix = (time: SeenTime): SeenTime => {
    if (time.by !== 'clock' || time.ms >= DATED) return time;
    const days = Math.round((reference - time.ms) / DAY);
    return { ...time, ms: time.ms + days * DAY };
  };
  return seen.map((each) => {
    if (!('times' in each)) return each;
    const times = each.times.map(fix);
    return each.what === 'event' ? { ...each, times, first: each.first.map(fix) } : { ...each, times };
  });
}

const allTimes = (each: Seen): readonly SeenTime[] =>
  'times' in each ? [...each.times, ...(each.what === 'event' ? each.first : [])] : [];

interface Axes {
  /** Start of the axis, in Unix ms. */
  readonly zero: number | undefined;
  readonly oldestRow: Span | undefined;
  readonly createdAt: (pod: string) => number;
}

function placeFile(seen: readonly Seen[], { zero, oldestRow, createdAt }: Axes): PlacedSeen[] {
  const captures = capturesOf(seen, oldestRowOf(seen, createdAt) ?? oldestRow, createdAt);
  const place = (times: readonly SeenTime[], pod: string): Span | undefined => {
    const spans = times.flatMap((time) => placed(time, { zero, captures, created: createdAt(pod) }));
    return spans.length === 0 ? undefined : narrowest(spans);
  };
  return seen.map((each): PlacedSeen => {
    const pod = 'pod' in each ? each.pod : '';
    const time = 'times' in each ? place(each.times, pod) : undefined;
    const first = each.what === 'event' ? (place(each.first, pod) ?? time) : undefined;
    const until = each.what === 'row' && each.until !== undefined ? place(each.until, pod) : undefined;
    return { ...each, time, first, until } as PlacedSeen;
  });
}

const narrowest = (spans: readonly Span[]): Span =>
  spans.reduce((best, each) => (each.to - each.from < best.to - best.from ? each : best));

interface Axis {
  readonly zero: number | undefined;
  /** Time of each capture, in seconds. */
  readonly captures: ReadonlyMap<number, Span>;
  readonly created: number;
}

function placed(time: SeenTime, { zero, captures, created }: Axis): Span[] {
  switch (time.by) {
    case 'run':
      return [{ from: time.seconds, to: time.seconds }];
    case 'age':
      return [{ from: created + time.span.from, to: created + time.span.to }];
    case 'ago': {
      const now = captures.get(time.capture);
      if (now === undefined) return [];
      const { from, to } = certain(time.span);
      return [{ from: now.from - to, to: now.to - from + (isVague(time.span) ? VAGUE : 0) }];
    }
    case 'clock': {
      if (zero === undefined) return [];
      const from = (time.ms - zero) / 1000;
      return [{ from, to: from + time.within / 1000 }];
    }
  }
}

/** Start of the axis in Unix ms: from a pod's creation, a row with time and age, or the earliest observation. */
function zeroOf(seen: readonly Seen[], createdAt: (pod: string) => number): number | undefined {
  const anchors = seen.flatMap((each) => {
    const clock = 'times' in each ? each.times.find(({ by }) => by === 'clock') : undefined;
    if (clock?.by !== 'clock' || !('times' in each)) return [];
    const created = 'pod' in each ? createdAt(each.pod) : 0;
    if (each.what === 'created' || (each.what === 'event' && each.reason === 'Scheduled'))
      return [{ certain: 2, zero: clock.ms - created * 1000 }];
    const age = each.times.find(({ by }) => by === 'age');
    if (age?.by !== 'age') return [{ certain: 0, zero: clock.ms }];
    return [{ certain: 1, zero: clock.ms - (created + (age.span.from + age.span.to) / 2) * 1000 }];
  });
  const most = greatest(anchors.map(({ certain }) => certain));
  const best = anchors.filter(({ certain }) => certain === most).map(({ zero }) => zero);
  return best.length === 0 ? undefined : least(best);
}

/** Age of the oldest row on the axis; users print rows and events at about the same time. */
function oldestRowOf(seen: readonly Seen[], createdAt: (pod: string) => number): Span | undefined {
  let oldest: Span | undefined;
  for (const each of seen) {
    if (each.what !== 'row') continue;
    for (const time of each.times) {
      if (time.by !== 'age') continue;
      const from = createdAt(each.pod) + time.span.from;
      if (from > (oldest?.from ?? Number.NEGATIVE_INFINITY))
        oldest = { from, to: createdAt(each.pod) + time.span.to };
    }
  }
  return oldest;
}

/** Events of a pod's termination, long after its creation. */
const AT_THE_END = new Set(['Killing', 'FailedKillPod', 'ExceededGracePeriod']);

interface OldestEvent {
  readonly ago: Span;
  readonly created: number;
  readonly reason: string;
}

/** From the age of the pod's Scheduled event, otherwise from a row printed with it, otherwise from the oldest event. */
function capturesOf(
  seen: readonly Seen[],
  row: Span | undefined,
  createdAt: (pod: string) => number,
): Map<number, Span> {
  const oldest = new Map<number, OldestEvent>();
  const scheduled = new Map<number, OldestEvent>();
  for (const each of seen) {
    if (each.what !== 'event' && each.what !== 'deleted') continue;
    const reason = each.what === 'event' ? each.reason : 'Killing';
    for (const time of [...each.times, ...(each.what === 'event' ? each.first : [])]) {
      if (time.by !== 'ago') continue;
      const made = { ago: certain(time.span), created: createdAt(each.pod), reason };
      if (time.span.from > (oldest.get(time.capture)?.ago.from ?? -1)) oldest.set(time.capture, made);
      if (reason === 'Scheduled') scheduled.set(time.capture, made);
    }
  }
  return new Map(
    [...oldest].map(([capture, event]) => [capture, madeAt(event, scheduled.get(capture), row)]),
  );
}

/** Ages in hours or days are this uncertain: only the distances between such observations count. */
const VAGUE = 600;

export const isVague = ({ from, to }: Span): boolean => to - from >= VAGUE;

/** The youngest of an uncertain age: equal ages are then equal times. */
export const certain = (age: Span): Span => (isVague(age) ? { from: age.from, to: age.from } : age);

const within = (from: number, to: number, ago: Span): Span =>
  to - from > VAGUE ? { from, to: from + Math.min(VAGUE, ago.to - ago.from) } : { from, to };

function madeAt(
  { ago, created, reason }: OldestEvent,
  scheduled: OldestEvent | undefined,
  row: Span | undefined,
): Span {
  if (scheduled !== undefined)
    return { from: scheduled.created + scheduled.ago.from, to: scheduled.created + scheduled.ago.to };
  // No event is older than the pod.
  if (row !== undefined && row.to >= created + ago.from)
    return within(Math.max(row.from, created + ago.from), row.to, ago);
  const before = created + (AT_THE_END.has(reason) ? SETTLED : 0);
  return { from: before + ago.from, to: before + ago.to };
}
