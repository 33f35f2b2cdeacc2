import type { Clock } from '../../base/clock/clock.js';
import type { CriClient } from '../../cri/client/client.js';
import type { ContainerEventResponse } from '../../cri/gen/runtime/v1/api.js';
import { eventNames } from '../../tape/world/shown.js';
import { Violation } from './violation.js';

export class EventRecorder {
  readonly events: ContainerEventResponse[] = [];
  readonly #abort = new AbortController();
  readonly #clock: Clock;
  #listeners: (() => void)[] = [];
  #failure: unknown;

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Subscribes. gRPC does not report when the subscription is active, so await `sync` before use. */
  static open(cri: CriClient, clock: Clock): EventRecorder {
    const recorder = new EventRecorder(clock);
    void recorder.#read(cri);
    return recorder;
  }

  get hasEnded(): boolean {
    return this.#failure !== undefined;
  }

  of(...ids: string[]): ContainerEventResponse[] {
    return this.events.filter((event) => ids.includes(event.containerId));
  }

  /** Event names such as `STARTED` of one container or sandbox. */
  typesOf(id: string): string[] {
    return this.of(id).map(
      (event) => eventNames[event.containerEventType] ?? `type ${event.containerEventType}`,
    );
  }

  /** Resolves once an event matches; throws a Violation after `timeout` ms. */
  async waitFor(
    fits: (event: ContainerEventResponse) => boolean,
    what: string,
    timeout: number,
  ): Promise<ContainerEventResponse> {
    const deadline = this.#clock.elapsed() + timeout;
    for (;;) {
      const found = this.events.find(fits);
      if (found !== undefined) return found;
      if (this.#failure !== undefined)
        throw new Violation(`${what} on the event stream`, `the stream failed: ${this.#failure}`);
      if (this.#clock.elapsed() >= deadline) {
        throw new Violation(`${what} on the event stream within ${timeout} ms`, this.#summary());
      }
      await Promise.race([this.#next(), this.#clock.sleep(Math.max(1, deadline - this.#clock.elapsed()))]);
    }
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(cri: CriClient): Promise<void> {
    try {
      for await (const event of cri.getContainerEvents({}, { signal: this.#abort.signal })) {
        this.events.push(event);
        this.#notify();
      }
      this.#failure ??= 'it ended';
    } catch (error) {
      this.#failure = error;
    }
    this.#notify();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  #notify(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  #summary(): string {
    const last = this.events
      .slice(-12)
      .map((event) => `${eventNames[event.containerEventType]} ${event.containerId.slice(0, 8)}`);
    return last.length > 0 ? `only: ${last.join(', ')}` : 'no event';
  }
}
