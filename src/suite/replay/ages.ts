import type { Clock } from '../../base/clock/clock.js';
import type { Exchange } from '../../tape/history/exchanges.js';
import type { Track } from '../../tape/history/tracks.js';

/** The ages of objects now and on the tape, in ns: the time since the last call that changed them. */
export class Ages {
  readonly #clock: Clock;
  readonly #anchors = new Map<Track, { readonly tape: number; readonly live: bigint }>();
  readonly #underWay = new Set<Exchange>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(exchange: Exchange): void {
    this.#underWay.add(exchange);
  }

  /** A call has ended that may have changed these objects. */
  end(exchange: Exchange, changed: readonly Track[]): void {
    this.#underWay.delete(exchange);
    for (const track of changed) this.#anchors.set(track, { tape: exchange.until, live: this.#clock.now() });
  }

  isChanging(track: Track): boolean {
    return track.changes.some((change) => this.#underWay.has(change));
  }

  live(track: Track): number {
    const anchor = this.#anchors.get(track);
    return anchor === undefined ? 0 : Number(this.#clock.now() - anchor.live);
  }

  onTape(track: Track, t: number): number {
    const anchor = this.#anchors.get(track);
    return anchor === undefined ? 0 : t - anchor.tape;
  }
}
