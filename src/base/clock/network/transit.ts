import type { Release } from '../release.js';

/** Metadata key under which a client on a virtual clock tells the server which call of the transit this is. */
export const TRANSIT_KEY = 'x-mockri-transit';

/**
 * What is on its way between a client and a server that share one virtual clock. Bytes in a socket belong to no
 * task, so without this the clock would run on while a request or an event is being carried. Both ends report what
 * they send and receive; the clock is held while anything sent has not arrived. A handler that takes its time
 * holds nothing: the server runs it in `Clock.run`, where it sleeps on the clock.
 */
export interface Transit {
  /** Client: a request is about to be sent; its `id` goes with it under `TRANSIT_KEY`. */
  begin(): ClientLeg;
  /**
   * Server: the request arrived, and is a separate activity from here on. Undefined for an unknown or ended call. A request
   * that was refused may arrive again.
   */
  arrive(id: string): ServerLeg | undefined;
}

/** A call as its client sees it. */
export interface ClientLeg {
  readonly id: string;
  /** One message of a server stream arrived. */
  received(): void;
  /** The call is over for the client: answered, failed or given up. That it gave up is on its way to the server. */
  end(): void;
}

/** A call as its server sees it. */
export interface ServerLeg {
  /** One message of a stream was handed to the transport. */
  sent(): void;
  /** The server has learned that the client gave up. A handler that continues takes its own time. */
  cancelled(): void;
  /** The handler is done; its reply or status is on its way. Always called, also after a cancelled call. */
  end(): void;
}

interface Passage {
  /** Messages on their way. */
  holds: Release[];
  /** A cancellation is on its way to the server. */
  cancelling: Release | undefined;
  /** A handler is at work, and has not learned of a cancellation. */
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
