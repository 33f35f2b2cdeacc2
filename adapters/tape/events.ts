import type { Clock, Timer } from '../../src/base/clock/clock.js';
import type { ContainerEventResponse } from '../../src/cri/gen/runtime/v1/api.js';
import { withContainers } from './reading.js';
import type { ReplayedObjects } from './replayed-objects.js';

export type Subscriber = (event: ContainerEventResponse) => void;

export class Events {
  readonly #objects: ReplayedObjects;
  readonly #clock: Clock;
  readonly #subscribers = new Set<Subscriber>();
  #timer: Timer | undefined;

  constructor(objects: ReplayedObjects, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** Calls back for each event from now on. Returns a function that unsubscribes it. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Sends the events that are due, and sets a timer for the next one. Call it after every call. */
  advance(): void {
    this.#timer?.cancel();
    const due = [...this.#objects.players()].flatMap((player) =>
      player.takeEvents().map(({ t, event }) => ({ t, event, player })),
    );
    for (const { event, player } of due.sort((a, b) => a.t - b.t)) {
      // A client assumes that an event's content is as old as the event.
      const now = { ...this.#objects.asOfNow(event, player), createdAt: this.#clock.now() };
      const whole = withContainers(this.#objects, now, event.containerId);
      for (const send of this.#subscribers) send(whole);
    }
    let next: number | undefined;
    for (const player of this.#objects.players()) {
      const wait = player.untilNextEvent;
      if (wait !== undefined && (next === undefined || wait < next)) next = wait;
    }
    if (next !== undefined)
      this.#timer = this.#clock.setTimer(Math.ceil(next / 1000) / 1000, () => this.advance());
  }

  close(): void {
    this.#timer?.cancel();
  }
}
