import type { Exchange } from '../../src/tape/history/exchanges.js';
import type { ObjectState, Span } from '../../src/tape/history/states.js';
import type { Sight, Track } from '../../src/tape/history/tracks.js';

/** A time on the tape, and the time now of the same step; both in ns. */
interface Anchor {
  readonly tape: number;
  readonly live: number;
}

/** Nanoseconds within which events count as part of the previous call. */
const INSTANT = 20_000;

/**
 * Replays one object of a tape. Its time on the tape passes with the clock, up to the next recorded call that changes
 * the object: there it waits until a client makes that call. An early call moves it there immediately.
 */
export class Player {
  readonly track: Track;
  readonly #now: () => number;
  readonly #played = new Set<Exchange>();
  readonly #anchors: Anchor[] = [];
  #nextEvent = 0;

  /** `now` is in ns since the first call; `start` is that call's time on the tape, where existing objects begin. */
  constructor(track: Track, start: number, now: () => number) {
    this.track = track;
    this.#now = now;
    if (track.created === undefined) this.#anchors.push({ tape: start, live: 0 });
  }

  /** The object's time on the tape, in ns; before all times while the object does not exist. */
  get position(): number {
    const anchor = this.#anchors.at(-1);
    if (anchor === undefined) return Number.NEGATIVE_INFINITY;
    return Math.min(anchor.tape + (this.#now() - anchor.live), this.#limit(anchor.tape));
  }

  /** Where the object's time waits for a call: in ns on the tape. */
  #limit(from: number): number {
    const next = this.track.changes.find((change) => change.at > from && !this.#played.has(change));
    return next?.at ?? Number.POSITIVE_INFINITY;
  }

  begin(exchange: Exchange): void {
    // Moves the time first: the object's time has waited for this call.
    this.#moveTo(exchange.at);
    this.#played.add(exchange);
  }

  end(exchange: Exchange): void {
    this.#moveTo(exchange.until);
  }

  #moveTo(tape: number): void {
    if (Number.isFinite(tape) && tape >= this.position) this.#anchors.push({ tape, live: this.#now() });
  }

  get state(): ObjectState {
    return this.span?.state ?? 'absent';
  }

  /** The state, and since when; undefined before the first. */
  get span(): Span | undefined {
    const { position } = this;
    return this.track.spans.findLast(({ from }) => from <= position);
  }

  /** An RPC's view of the object in its state: the last recorded one, otherwise the first later one. */
  sight(source: string): Sight | undefined {
    const sights = this.track.sights.get(source);
    if (sights === undefined) return undefined;
    const { position, state } = this;
    const fitting = sights.filter((sight) => sight.state === undefined || sight.state === state);
    const isKnown = fitting.some((sight) => sight.value !== undefined || sight.state !== undefined);
    const candidates = isKnown ? fitting : sights;
    return candidates.findLast(({ t }) => t <= position) ?? candidates[0];
  }

  /** Converts a time on the tape to Unix nanoseconds now; never in the future. */
  liveTime(tape: number): number {
    const index = this.#anchors.findLastIndex((anchor) => anchor.tape <= tape);
    const anchor = this.#anchors[Math.max(0, index)];
    if (anchor === undefined) return this.#now();
    const next = this.#anchors[index + 1]?.live ?? this.#now();
    return Math.min(anchor.live + (tape - anchor.tape), index < 0 ? this.#now() : next);
  }

  takeEvents(): Track['events'] {
    const { events } = this.track;
    if (this.#nextEvent === events.length) return [];
    const anchor = this.#anchors.at(-1);
    const due =
      anchor === undefined ? this.position : Math.min(this.position + INSTANT, this.#limit(anchor.tape));
    const begin = this.#nextEvent;
    while (this.#nextEvent < events.length && (events[this.#nextEvent]?.t ?? 0) <= due) this.#nextEvent++;
    return events.slice(begin, this.#nextEvent);
  }

  /** Nanoseconds until the next event, unless a call has to come before it. */
  get untilNextEvent(): number | undefined {
    const next = this.track.events[this.#nextEvent];
    const anchor = this.#anchors.at(-1);
    if (anchor === undefined || next === undefined || next.t > this.#limit(anchor.tape)) return undefined;
    return Math.max(0, next.t - anchor.tape - (this.#now() - anchor.live));
  }
}
