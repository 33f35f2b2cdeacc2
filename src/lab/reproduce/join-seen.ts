import { type Creations, placeSeen } from './axis.js';
import { greatest } from './extremes.js';
import type { PlacedSeen, Seen, Span } from './facts.js';
import { deletionsOf } from './guess/deletions.js';
import type { Observation, SeenDeletion } from './observation.js';
import { SOME_POD } from './read/context.js';
import { inWindow } from './window.js';

export function joinSeen(files: readonly (readonly Seen[])[], creations: Creations): Observation {
  const [only, ...more] = creations.keys();
  const some = only === undefined || more.length > 0 ? '' : only;
  const named = files.map((seen) =>
    seen.map((each) => ('pod' in each && each.pod === SOME_POD ? { ...each, pod: some } : each)),
  );
  const placed = placeSeen(named, creations).filter((each) => isInRun(each) && isAbout(each, creations));
  const whole = observationOf(placed, []);
  const deleted = deletionsOf(whole);
  const window = inWindow(placed, deleted);
  return {
    ...observationOf(window.placed, window.deleted),
    shift: window.shift,
    begin: window.begin,
    isPlaced: files.flat().some(placesItself) || deleted.length > 0,
    isExcerpt: files.flat().some(({ what }) => what === 'gap'),
  };
}

function observationOf(placed: readonly PlacedSeen[], deleted: readonly SeenDeletion[]): Observation {
  const of = <K extends Seen['what']>(what: K) =>
    placed.filter((each): each is Extract<PlacedSeen, { what: K }> => each.what === what);
  return {
    rows: of('row').sort(byTime),
    events: of('event'),
    nodes: of('node').sort(byTime),
    log: of('log'),
    containers: of('container'),
    ends: of('end'),
    deleted:
      deleted.length > 0
        ? deleted
        : placed.flatMap((each) =>
            each.what === 'deleted' ? [{ pod: each.pod, time: each.time, why: 'its status says so' }] : [],
          ),
    end: Math.max(0, greatest(placed.flatMap(({ time }) => (time === undefined ? [] : [time.to])))),
    begin: 0,
    shift: 0,
    version: of('version')[0]?.version,
    runtime: of('runtime')[0]?.runtime,
    isPlaced: true,
    isExcerpt: false,
  };
}

const byTime = (a: { time: Span | undefined }, b: { time: Span | undefined }): number =>
  (a.time?.from ?? 0) - (b.time?.from ?? 0);

/** In seconds: anything earlier than this before the start is not part of a run; less may be rounding. */
const ROUNDED = 2;

const isInRun = ({ time }: PlacedSeen): boolean => time === undefined || time.to >= -ROUNDED;

const isAbout = (each: PlacedSeen, creations: Creations): boolean =>
  !('pod' in each) || each.pod === '' || creations.size === 0 || creations.has(each.pod);

/** Whether it has a time in the run: seconds, an age, or the creation of a pod. */
const placesItself = (each: Seen): boolean =>
  each.what === 'created' ||
  (each.what === 'event' && each.reason === 'Scheduled') ||
  ('times' in each && each.times.some(({ by }) => by === 'run' || by === 'age'));
