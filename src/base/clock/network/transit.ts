import type { Release } from '../release.js';

/** Metadata key for the call's transit id, from a client on a virtual clock to the server. */
export const TRANSIT_KEY = 'x-mockri-transit';

/**
 * Tracks data in transit between a client and a server on one virtual clock. Bytes in a socket belong to no task, so
 * without this the clock would move on while a request or an event is being transferred. Both ends report what they
 * send and receive; the clock is held until everything sent has arrived. A slow handler holds nothing: the server runs
 * it in `Clock.run`, where it sleeps on the clock.
 */
export interface Transit {
  /** Client: a request is about to be sent with `id` under `TRANSIT_KEY`. */
  begin(): ClientLeg;
  /** Server: the request arrived and is now a separate activity. Undefined for an unknown or ended call. */
  arrive(id: string): ServerLeg | undefined;
}

export interface ClientLeg {
  readonly id: string;
  received(): void;
  /** The call has ended for the client: answered, failed or cancelled. A cancellation is in transit to the server. */
  end(): void;
}

export interface ServerLeg {
  sent(): void;
  /** The server noticed the cancellation. A handler that continues takes its own time. */
  cancelled(): void;
  /** The handler has finished; its reply or status is in transit. Always called, even after a cancellation. */
  end(): void;
}

interface Passage {
  holds: Release[];
  cancelling: Release | undefined;
  /** A handler is running and has not noticed a cancellation. */
  isServed: boolean;
}

/** `hold` is the clock's. */
export function createTransit(hold: () => Release): Transit {
  const passages = new Map<string, Passage>();
  let count = 0;

  const begin = (): ClientLeg => {
    const id = String(++count);
    const passage: Passage = { holds: [hold()], cancelling: undefined, isServed: false };
    passages.set(id, passage);
    return {
      id,
      received: () => passage.holds.pop()?.(),
      end: () => {
        if (passage.isServed) passage.cancelling ??= hold();
        passages.delete(id);
        for (const release of passage.holds.splice(0)) release();
      },
    };
  };

  const arrive = (id: string): ServerLeg | undefined => {
    const passage = passages.get(id);
    if (passage === undefined || passage.isServed) return undefined;
    passage.isServed = true;
    // The request, or the refusal after which the client sent it again.
    for (const release of passage.holds.splice(0)) release();
    return {
      sent: () => {
        if (passage.cancelling === undefined) passage.holds.push(hold());
      },
      cancelled: () => {
        passage.isServed = false;
        const release = passage.cancelling;
        passage.cancelling = () => {};
        release?.();
      },
      end: () => {
        passage.isServed = false;
        if (passage.cancelling !== undefined) passage.cancelling();
        else if (passages.has(id)) passage.holds.push(hold());
      },
    };
  };

  return { begin, arrive };
}
