import type { RuntimeProfileName } from '../profiles/index.js';
import { greatest, least } from './extremes.js';
import { SOME_POD } from './read/context.js';
import type { Seen, SeenTime, Span } from './seen.js';

/** Without its times in the form of their source, and with one on the axis of runs: seconds since the kubelet's start. */
type Placed<T extends { readonly what: string }> = Omit<T, 'what' | 'times' | 'first'> & {
  /** Undefined when nothing tells it. */
  readonly time: Span | undefined;
};

type Kind<K extends Seen['what']> = Extract<Seen, { what: K }>;

/** A row on the axis of runs. */
export type PlacedRow = Placed<Kind<'row'>>;
/** An event on the axis of runs. */
export type PlacedEvent = Placed<Kind<'event'>> & { readonly first: Span | undefined };
/** A state of the node on the axis of runs. */
export type PlacedNode = Placed<Kind<'node'>>;
/** A line of the log on the axis of runs. */
export type PlacedLine = Placed<Kind<'log'>>;
/** A container of the runtime on the axis of runs. */
export type PlacedContainer = Placed<Kind<'container'>>;
/** The end of a container on the axis of runs. */
export type PlacedEnd = Placed<Kind<'end'>>;

/** What was seen, of all files together, on one axis of time. JSON. */
export interface Observation {
  readonly rows: readonly PlacedRow[];
  readonly events: readonly PlacedEvent[];
  readonly nodes: readonly PlacedNode[];
  readonly log: readonly PlacedLine[];
  readonly containers: readonly PlacedContainer[];
  readonly ends: readonly PlacedEnd[];
  /** When pods were asked to end, where a status says so. */
  readonly deleted: readonly { readonly pod: string; readonly time: Span | undefined }[];
  /** When the last thing was seen, in seconds. */
  readonly end: number;
  /** Seconds that were taken off all times, because what came before was not seen. */
  readonly shift: number;
  readonly version: string | undefined;
  readonly runtime: RuntimeProfileName | undefined;
  /** Whether anything says when in a run it was seen; without that, only the times between what was seen count. */
  readonly isPlaced: boolean;
  /** Whether it is an excerpt, by its own account: what is missing in it says nothing at all. */
  readonly isExcerpt: boolean;
}

/** When each pod of the runs is created, in seconds; their names as runs have them. */
export type Creations = ReadonlyMap<string, number>;

/** How late in a run something is that was first seen long after its pod's start, in seconds. */
const SETTLED = 60;
/** What was seen later than this, in seconds, has a beginning that nobody needs to simulate. */
const LONG = 45 * 60;
/** Times without a year are before this one (clock-times.ts). */
const DATED = Date.UTC(2001, 0, 1);
const DAY = 86_400_000;

/** Joins what several files have shown. Names of pods become those of the runs. */
export function joinSeen(files: readonly (readonly Seen[])[], creations: Creations): Observation {
  const nameOf = namesOf(files.flat(), creations);
  const all = files.map((seen) => dated(seen, files.flat()));
  const zero = zeroOf(all.flat(), (pod) => creations.get(nameOf(pod)) ?? 0);
  const placed = all
    .flatMap((seen) => placeFile(seen, zero, creations, nameOf))
    .filter((each) => isInRun(each) && isAbout(each, creations));
  const spans = placed.flatMap(({ time }) => (time === undefined ? [] : [time.from]));
  const first = least(spans);
  const shift = Number.isFinite(first) && first > LONG ? first - SETTLED : 0;
  const moved = placed.map((each) => shifted(each, shift));
  const of = <K extends Seen['what']>(what: K) =>
    moved.filter((each): each is Extract<PlacedSeen, { what: K }> => each.what === what);
  return {
    rows: of('row').sort(byTime),
    events: of('event'),
    nodes: of('node').sort(byTime),
    log: of('log'),
    containers: of('container'),
    ends: of('end'),
    deleted: of('deleted'),
    end: Math.max(0, greatest(moved.flatMap(({ time }) => (time === undefined ? [] : [time.to])))),
    shift,
    version: of('version')[0]?.version,
    runtime: of('runtime')[0]?.runtime,
    isPlaced: files.flat().some(placesItself),
    isExcerpt: of('gap').length > 0,
  };
}

type PlacedSeen = {
  [K in Seen['what']]: Omit<Kind<K>, 'times' | 'first'> & { time: Span | undefined; first: Span | undefined };
}[Seen['what']];

const byTime = (a: { time: Span | undefined }, b: { time: Span | undefined }): number =>
  (a.time?.from ?? 0) - (b.time?.from ?? 0);

function shifted(each: PlacedSeen, by: number): PlacedSeen {
  const move = (span: Span | undefined) => span && { from: span.from - by, to: span.to - by };
  return by === 0 ? each : ({ ...each, time: move(each.time), first: move(each.first) } as PlacedSeen);
}

/** Gives times without a year or a day those of the other times. */
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

/** What was more than this before the beginning, in seconds, is no part of a run; less may come from rounding. */
const ROUNDED = 2;

const isInRun = ({ time }: PlacedSeen): boolean => time === undefined || time.to >= -ROUNDED;

/** Whether it is about a pod of the runs, or about the node: others of the cluster do what they do. */
const isAbout = (each: PlacedSeen, creations: Creations): boolean =>
  !('pod' in each) || each.pod === '' || creations.size === 0 || creations.has(each.pod);

/** Whether it says when in a run it was: seconds of a run, an age, or the creation of a pod. */
const placesItself = (each: Seen): boolean =>
  each.what === 'created' ||
  (each.what === 'event' && each.reason === 'Scheduled') ||
  ('times' in each && each.times.some(({ by }) => by === 'run' || by === 'age'));

/** What a controller adds to the names of its pods: letters and digits without vowels. */
const GENERATED = /(?:-[bcdf0-9]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Names of pods as runs have them: the same, one that begins alike, one of the same controller, or the only one. */
function namesOf(seen: readonly Seen[], creations: Creations): (pod: string) => string {
  const known = [...creations.keys()];
  const given = new Set(
    seen.flatMap((each) => ('pod' in each && each.pod !== '' && each.pod !== SOME_POD ? [each.pod] : [])),
  );
  const bare = (pod: string) => pod.slice(pod.indexOf('/') + 1);
  const stem = (pod: string) => bare(pod).replace(GENERATED, '');
  const map = new Map([[SOME_POD, known.length === 1 ? (known[0] ?? '') : '']]);
  for (const pod of given) {
    const found =
      known.find((each) => each === pod) ??
      known.find((each) => bare(each) === bare(pod)) ??
      known.find((each) => bare(pod).startsWith(bare(each)) || bare(each).startsWith(bare(pod))) ??
      known.find((each) => GENERATED.test(each) && stem(each) === stem(pod));
    map.set(pod, found ?? (known.length === 1 && given.size === 1 ? (known[0] ?? pod) : pod));
  }
  return (pod) => map.get(pod) ?? pod;
}

/** Places what one file shows on the axis. */
function placeFile(
  seen: readonly Seen[],
  zero: number | undefined,
  creations: Creations,
  nameOf: (pod: string) => string,
): PlacedSeen[] {
  const createdAt = (pod: string) => creations.get(nameOf(pod)) ?? 0;
  const captures = capturesOf(seen, createdAt);
  const place = (times: readonly SeenTime[], pod: string): Span | undefined => {
    const spans = times.flatMap((time) => placed(time, { zero, captures, created: createdAt(pod) }));
    return spans.length === 0 ? undefined : narrowest(spans);
  };
  return seen.map((each): PlacedSeen => {
    const pod = 'pod' in each ? each.pod : '';
    const time = 'times' in each ? place(each.times, pod) : undefined;
    const first = each.what === 'event' ? (place(each.first, pod) ?? time) : undefined;
    return { ...each, ...('pod' in each && { pod: nameOf(pod) }), time, first } as PlacedSeen;
  });
}

const narrowest = (spans: readonly Span[]): Span =>
  spans.reduce((best, each) => (each.to - each.from < best.to - best.from ? each : best));

interface Axis {
  /** Unix ms of the axis' beginning. */
  readonly zero: number | undefined;
  /** When each capture was made, in seconds. */
  readonly captures: ReadonlyMap<number, number>;
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
      return now === undefined ? [] : [{ from: now - time.span.to, to: now - time.span.from }];
    }
    case 'clock': {
      if (zero === undefined) return [];
      const from = (time.ms - zero) / 1000;
      return [{ from, to: from + time.within / 1000 }];
    }
  }
}

/** Unix ms of the axis' beginning: from a pod's creation, a row with time and age, or the earliest of what was seen. */
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

/** When each capture was made: its oldest event is a pod's creation. */
function capturesOf(seen: readonly Seen[], createdAt: (pod: string) => number): Map<number, number> {
  const captures = new Map<number, number>();
  for (const each of seen) {
    if (each.what !== 'event') continue;
    for (const time of [...each.times, ...each.first]) {
      if (time.by !== 'ago') continue;
      const now = createdAt(each.pod) + (time.span.from + time.span.to) / 2;
      captures.set(time.capture, Math.max(captures.get(time.capture) ?? 0, now));
    }
  }
  return captures;
}
