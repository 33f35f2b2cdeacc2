import type { Clock } from '../../../base/clock/clock.js';
import type { Account } from '../../../base/input/account.js';

/** containerd internal/cri/server/service.go. */
const REPLAY_FOR = 5 * 60_000;

/** The newest events that were published while nobody was subscribed, without those that are too old. */
export class Backlog {
  readonly #clock: Clock;
  readonly #size: number;
  readonly #account: Account;
  #kept: { readonly event: Buffer; readonly until: number }[] = [];

  constructor(clock: Clock, size: number, account: Account) {
    this.#clock = clock;
    this.#size = size;
    this.#account = account;
  }

  keep(event: Buffer): void {
    const now = this.#clock.elapsed();
    while (this.#kept[0] !== undefined && (this.#kept[0].until <= now || this.#kept.length >= this.#size))
      this.#forgetOldest();
    while (!this.#account.take(event.length)) if (!this.#forgetOldest()) return;
    this.#kept.push({ event, until: now + REPLAY_FOR });
  }

  #forgetOldest(): boolean {
    const oldest = this.#kept.shift();
    if (oldest !== undefined) this.#account.take(-oldest.event.length);
    return oldest !== undefined;
  }

  take(): Buffer[] {
    const now = this.#clock.elapsed();
    const kept = this.#kept.filter(({ until }) => until > now);
    while (this.#forgetOldest());
    return kept.map(({ event }) => event);
  }
}
