import type { Clock } from '../../clock/clock.js';

/** containerd internal/cri/server/service.go. */
const REPLAY_FOR = 5 * 60_000;

/** The newest events that came while nobody was subscribed, as far as they are not too old. */
export class Backlog {
  readonly #clock: Clock;
  readonly #size: number;
  #kept: { readonly event: Buffer; readonly until: number }[] = [];

  constructor(clock: Clock, size: number) {
    this.#clock = clock;
    this.#size = size;
  }

  keep(event: Buffer): void {
    const now = this.#clock.elapsed();
    this.#kept = this.#kept.filter(({ until }) => until > now).slice(1 - this.#size);
    this.#kept.push({ event, until: now + REPLAY_FOR });
  }

  /** Takes all out. */
  take(): Buffer[] {
    const now = this.#clock.elapsed();
    const kept = this.#kept.filter(({ until }) => until > now);
    this.#kept = [];
    return kept.map(({ event }) => event);
  }
}
