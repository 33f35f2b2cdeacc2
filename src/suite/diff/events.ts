import type { Clock } from '../../base/clock/clock.js';
import { forgetOldest } from '../../base/input/forget-oldest.js';
import { append } from '../../base/input/group-by.js';
import type { CriClient } from '../../cri/client/client.js';
import type { ContainerEventResponse } from '../../cri/gen/runtime/v1/api.js';
import { Code } from '../../cri/status-code.js';
import { isRpcFailure } from '../conformance/expect.js';

/** Interval of the checks, in ms. */
const POLL = 2;

/** The events of one subscriber by the id of their container or sandbox, until they are dropped. */
export class EventBook {
  readonly #abort = new AbortController();
  readonly #events = new Map<string, ContainerEventResponse[]>();
  readonly #clock: Clock;
  /** Why the stream ended: a gRPC code, or OK; undefined while it is open. */
  end: string | undefined;

  constructor(cri: CriClient, clock: Clock) {
    this.#clock = clock;
    void this.#read(cri);
  }

  of(id: string): readonly ContainerEventResponse[] {
    return this.#events.get(id) ?? [];
  }

  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#events].map(([id, events]) => [id, events.length]));
  }

  forget(id: string): void {
    this.#events.delete(id);
  }

  /** Resolves once the condition is true or the stream has ended, at the latest after `timeout` ms. */
  async until(holds: () => boolean, timeout: number): Promise<void> {
    const deadline = this.#clock.elapsed() + timeout;
    while (!holds() && this.end === undefined && this.#clock.elapsed() < deadline)
      await this.#clock.sleep(POLL);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(cri: CriClient): Promise<void> {
    try {
      for await (const event of cri.getContainerEvents({}, { signal: this.#abort.signal })) {
        append(this.#events, event.containerId, event);
        // Other clients' objects also have events, which no check reads.
        forgetOldest(this.#events);
      }
      this.end = 'OK';
    } catch (error) {
      this.end = isRpcFailure(error) ? (Code[error.code] ?? String(error.code)) : 'INTERNAL';
    }
  }
}
