import { groupBy } from '../../base/input/group-by.js';
import type { ListImagesResponse } from '../../cri/gen/runtime/v1/api.js';
import type { AnyRequest } from '../../cri/subject.js';
import type { Exchange, History } from '../../tape/history/exchanges.js';
import { fieldsOf, sequenceOf } from '../../tape/history/fields.js';
import { idIn, listShapes, sightingsOf, statusKinds } from '../../tape/history/sightings.js';
import type { ObjectState } from '../../tape/history/states.js';
import type { Track, Tracks } from '../../tape/history/tracks.js';
import { Message } from '../../tape/message.js';
import type { Ages } from './ages.js';
import type { Names } from './names.js';
import { compareReplies, type FieldDifference, showText } from './normal-form.js';
import { Overlaps } from './overlaps.js';
import type { Reason } from './report.js';

/** The result of a call now; a reply has the names of the tape. */
export interface LiveOutcome {
  readonly code: string;
  readonly details: string;
  readonly reply: object | undefined;
}

export interface Found {
  readonly difference: FieldDifference;
  readonly track?: Track | undefined;
  readonly reason?: Reason | undefined;
  /** Nanoseconds after which it may disappear, because the object is younger than it was on the tape. */
  readonly retryFor?: number | undefined;
}

interface Seen {
  readonly kind: 'pod' | 'container' | 'image';
  readonly state: ObjectState | undefined;
  readonly value: object | undefined;
}

const stateOf = (seen: Seen | undefined): ObjectState =>
  seen === undefined ? 'absent' : (seen.state ?? 'running');

/** Whether a list has the objects in one state only: missing ones may be in another state. */
const hasStateFilter = ({ request }: Exchange): boolean =>
  request.value<{ filter?: { state?: object } }>().filter?.state !== undefined;

const stateAt = ({ spans }: Track, t: number): ObjectState =>
  spans.findLast(({ from }) => from <= t)?.state ?? 'absent';

/** The next state, by order: a list may still show a container as running whose end is known. */
const stateAfter = ({ spans }: Track, before: ObjectState): ObjectState =>
  spans[spans.findLastIndex(({ state }) => state === before) + 1]?.state ?? 'absent';

/** Smallest `slack`, on a machine that keeps the pace, in ns. */
const SLACK = 2e9;

const ORDER: readonly ObjectState[] = ['created', 'ready', 'running', 'notready', 'exited', 'absent'];

export class LiveComparison {
  readonly #tracks: Tracks;
  readonly #names: Names;
  readonly #ages: Ages;
  readonly #execs: ReadonlyMap<string, readonly Exchange[]>;
  readonly #overlaps: Overlaps;
  /** States that objects did not reach in time: the replay doesn't wait for them again. */
  readonly #missed = new Map<Track, Set<string>>();
  /** Allowed difference in time of two runs of a container, in ns. A busy machine starts containers later. */
  slack = SLACK;
  readonly pulled = new Set<string>();

  constructor(history: History, tracks: Tracks, names: Names, ages: Ages) {
    this.#tracks = tracks;
    this.#names = names;
    this.#ages = ages;
    this.#overlaps = new Overlaps(history);
    this.#execs = groupBy(
      history.exchanges.filter(({ method }) => method === 'ExecSync'),
      keyOf,
    );
  }

  /** All differences between the recorded and the present result of a call. */
  compare(exchange: Exchange, live: LiveOutcome): Found[] {
    const { method, outcome, reply } = exchange;
    const byState = this.#objects(exchange, live);
    if (byState !== undefined) return byState;
    if (method === 'ListImages') return compareImages(reply?.value(), live.reply);
    const recorded = reply?.value();
    if (outcome?.code !== live.code || recorded === undefined || live.reply === undefined) {
      const found = compareOutcomes(exchange, live);
      return found.map((difference) => this.#explain(exchange, live, difference));
    }
    return compareReplies(method, recorded, live.reply).map((difference) =>
      this.#explain(exchange, live, difference),
    );
  }

  miss({ track, difference }: Found): void {
    if (track === undefined) return;
    const missed = this.#missed.get(track) ?? new Set();
    this.#missed.set(track, missed.add(difference.recorded));
  }

  /** Lists and statuses: each object by its state; undefined for other calls. */
  #objects(exchange: Exchange, live: LiveOutcome): Found[] | undefined {
    const { method, outcome, reply } = exchange;
    const list = listShapes[method];
    const kind = statusKinds[method];
    const isList = list !== undefined && outcome?.code === 'OK' && live.code === 'OK';
    const isStatus = kind === 'pod' || kind === 'container';
    if (!isList && !isStatus) return undefined;
    const [recorded, now] = [this.#sights(exchange), this.#sights(withReply(exchange, live))];
    const isUnclear = [...recorded.values(), ...now.values()].some(({ state }) => state === undefined);
    if (isStatus && (isUnclear || recorded.size === 0 || now.size === 0)) return undefined;
    const found: Found[] = [];
    for (const id of new Set([...recorded.keys(), ...now.keys()])) {
      const seen = recorded.get(id) ?? now.get(id);
      // Without the pod, its containers give no further information.
      if (isStatus && seen?.kind !== kind && (reply === undefined || live.reply === undefined)) continue;
      const track = this.#tracks.get(seen?.kind ?? 'pod', id);
      // Objects that are not of this tape, or existed before it.
      if (track?.created === undefined || this.#names.liveOf(id) === undefined) continue;
      found.push(...this.#object(exchange, track, recorded.get(id), now.get(id)));
    }
    if (isStatus && reply !== undefined && live.reply !== undefined && found.length === 0)
      return compareReplies(method, reply.value(), live.reply).map((difference) =>
        this.#explain(exchange, live, difference),
      );
    return found;
  }

  /** The objects of a reply; with a pod's status also its containers. */
  #sights(exchange: Exchange): Map<string, Seen> {
    const source = listShapes[exchange.method]?.source ?? exchange.method;
    const own = sightingsOf(exchange).filter(
      (each) => each.kind !== 'node' && (each.source === source || exchange.method === 'PodSandboxStatus'),
    );
    return new Map(own.map((each) => [each.id, each as Seen]));
  }

  #object(exchange: Exchange, track: Track, recorded: Seen | undefined, live: Seen | undefined): Found[] {
    // Objects without state, such as stats, are present or missing.
    const isFiltered = hasStateFilter(exchange);
    const states = [
      isFiltered && recorded === undefined ? stateAt(track, exchange.until) : stateOf(recorded),
      isFiltered && live === undefined ? stateAfter(track, stateOf(recorded)) : stateOf(live),
    ] as const;
    const isSeenOnce = (recorded === undefined) !== (live === undefined);
    if ((states[0] !== states[1] || isSeenOnce) && isOverlapped(track, exchange)) {
      const difference = { path: 'state', recorded: stateOf(recorded), live: stateOf(live) };
      return [{ difference, track, reason: 'overlap' }];
    }
    if (states[0] === states[1]) {
      if (exchange.method in statusKinds) return [];
      return compareItems(exchange.method, recorded?.value, live?.value).map((difference) => ({
        difference,
        track,
        reason: reasonOf(difference),
      }));
    }
    const difference = { path: 'state', recorded: states[0], live: states[1] };
    const isBehind = ORDER.indexOf(states[1]) < ORDER.indexOf(states[0]);
    const age = this.#ages.live(track);
    if (isBehind && states[0] !== 'absent') {
      if (this.#missed.get(track)?.has(states[0])) return [{ difference, track }];
      const retryFor = this.#ages.onTape(track, exchange.until) + SLACK - age;
      return [{ difference, track, retryFor: Math.max(retryFor, SLACK / 2) }];
    }
    const next = track.spans.find(({ state, from }) => state === states[1] && Number.isFinite(from));
    const isDue = next !== undefined && this.#ages.onTape(track, next.from) - this.slack <= age;
    const isTime = isDue || this.#ages.isChanging(track) || isNear(track, exchange, states[1], this.slack);
    if (isTime) return [{ difference, track, reason: 'time' }];
    // An object that a filter hides may be about to reach the state.
    return [{ difference, track, retryFor: isFiltered && live === undefined ? SLACK : undefined }];
  }

  #explain(exchange: Exchange, live: LiveOutcome, difference: FieldDifference): Found {
    const { method, request } = exchange;
    if (method === 'ExecSync') {
      const redacted = reasonOf(difference);
      return redacted ? { difference, reason: redacted } : this.#explainExec(exchange, live, difference);
    }
    if (method === 'ImageStatus' && difference.path === 'image' && difference.recorded === 'none')
      if (!this.pulled.has(idIn(request.value<AnyRequest>())))
        return { difference, reason: 'image was there' };
    if (this.#overlaps.of(exchange)) return { difference, reason: reasonOf(difference) ?? 'overlap' };
    if (method === 'Version' && difference.path === 'runtimeVersion')
      return { difference, reason: 'version' };
    return { difference, reason: reasonOf(difference) };
  }

  /** A program's result depends on the time: it counts as expected if it had the same one about then. */
  #explainExec(exchange: Exchange, live: LiveOutcome, difference: FieldDifference): Found {
    const track = this.#tracks.get('container', idIn(exchange.request.value<AnyRequest>()));
    if (track === undefined) return { difference };
    const age = this.#ages.live(track);
    const isTime = this.#execs.get(keyOf(exchange))?.some((other) => {
      const isNear = Math.abs(this.#ages.onTape(track, other.until) - age) < this.slack;
      return isNear && isSameOutcome(other, live);
    });
    // A runtime's reply about a container that is just ending depends on the moment.
    const end = track.spans.find(({ state }) => state === 'exited')?.from ?? Number.POSITIVE_INFINITY;
    const isEnding = Math.abs(end - exchange.until) < this.slack;
    if (isTime || isEnding || this.#ages.isChanging(track)) return { difference, reason: 'time' };
    const younger = this.#ages.onTape(track, exchange.until) - age;
    return { difference, retryFor: younger > -SLACK ? younger + SLACK : undefined };
  }
}

const keyOf = ({ method, request }: Exchange): string =>
  sequenceOf(method, fieldsOf(method, request.value()));

const isSameOutcome = ({ outcome, reply }: Exchange, live: LiveOutcome): boolean =>
  outcome?.code === live.code &&
  (reply?.value<{ exitCode: number }>().exitCode ?? 0) ===
    ((live.reply as { exitCode?: number } | undefined)?.exitCode ?? 0);

/** Whether a call changed the object during this one: either may have been first. */
const isOverlapped = ({ changes }: Track, { at, until }: Exchange): boolean =>
  changes.some((change) => change.at < until && at < change.until);

/** Whether the object reached a state so shortly after a call that the call may also have seen it. */
const isNear = (track: Track, { until }: Exchange, state: ObjectState, slack: number): boolean =>
  track.spans.some((span) => span.state === state && span.from >= until && span.from - until < slack);

/** Redacted values can't be compared. */
const reasonOf = ({ recorded }: FieldDifference): Reason | undefined =>
  recorded.includes('redacted:') || recorded.includes(REDACTED_BYTES) ? 'redacted' : undefined;

/** `redacted:` in base64. */
const REDACTED_BYTES = Buffer.from('redacted:').toString('base64');

function compareOutcomes({ outcome }: Exchange, live: LiveOutcome): FieldDifference[] {
  const text = (code: string, details = '') => (code === 'OK' ? 'OK' : `${code} ${showText(details)}`);
  const recorded = outcome === undefined ? 'no answer' : text(outcome.code, outcome.details);
  const now = text(live.code, live.details);
  return recorded === now ? [] : [{ path: '', recorded, live: now }];
}

/** Compares the images of the tape; the runtime may have more. */
function compareImages(recorded: object | undefined, live: object | undefined): Found[] {
  const imagesOf = (reply: object | undefined) =>
    (reply as Partial<ListImagesResponse> | undefined)?.images ?? [];
  return imagesOf(recorded).flatMap((image) => {
    const other = imagesOf(live).find(({ id }) => id === image.id);
    return compareItems('ListImages', image, other).map((difference) => ({ difference }));
  });
}

/** Compares items in protobuf's JSON form, within a whole reply. */
function compareItems(
  method: string,
  recorded: object | undefined,
  live: object | undefined,
): FieldDifference[] {
  const field = method === 'ListImages' ? 'images' : (listShapes[method]?.field ?? '');
  const replyOf = (item: object | undefined) => ({ [field]: item === undefined ? [] : [item] });
  return compareReplies(method, replyOf(recorded), replyOf(live));
}

const withReply = (exchange: Exchange, live: LiveOutcome): Exchange => ({
  ...exchange,
  messages: [],
  outcome: { code: live.code as 'OK', details: live.details },
  reply: live.reply && Message.of(exchange.method, 'Response', live.reply),
});
