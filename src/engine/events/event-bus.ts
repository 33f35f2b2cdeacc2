import type { Clock } from '../../clock/clock.js';
import { CriError } from '../../cri/errors.js';

/** What subscribers may count on. */
export interface EventOptions {
  /**
   * What happens when a subscriber's queue is full: `disconnect` ends its stream with an error, `drop` loses the new
   * event for it (CRI-O), `block` makes the RPCs that cause events wait (containerd).
   */
  readonly overflow: 'disconnect' | 'drop' | 'block';
  /** Events that may wait for one subscriber. */
  readonly queueSize: number;
  /** Keeps events while nobody is subscribed, for the first who comes (containerd: for five minutes). */
  readonly replay: boolean;
}

/** A subscriber that is 1,000 events behind is disconnected; nothing is replayed. */
export const defaultEventOptions: EventOptions = { overflow: 'disconnect', queueSize: 1000, replay: false };

/** containerd internal/cri/server/service.go. */
const REPLAY_FOR = 5 * 60_000;

/** Hands every event to every subscriber, in order (INV-29 to INV-35). */
export interface EventBus {
  /** False when an event would reach nobody: then it need not be encoded. */
  readonly wanted: boolean;
  /** Hands the same bytes to every subscriber (INV-30). */
  publish(event: Buffer): void;
  /** Subscribes at once; the iteration ends when the signal aborts or the bus closes. */
  subscribe(signal: AbortSignal): AsyncIterable<Buffer>;
  /** With overflow `block`: resolves once no queue is overfull. Undefined when there is nothing to wait for. */
  room(signal: AbortSignal): Promise<void> | undefined;
  close(): void;
  readonly stats: EventStats;
}

/** For metrics. */
export interface EventStats {
  readonly published: number;
  readonly dropped: number;
  readonly disconnected: number;
  /** Queue length of each subscriber. */
  readonly queues: readonly number[];
}

interface Subscriber {
  readonly queue: Buffer[];
  /** Index of the first undelivered event, so that taking one does not move the others. */
  head: number;
  wake: (() => void) | undefined;
  /** Set when no more events will come: an error, or null for a plain end. */
  end: CriError | null | undefined;
}

/** A bus without subscribers. On the clock, a subscriber that waits for the next event is idle. */
export function createEventBus(clock: Clock, options: EventOptions): EventBus {
  const { overflow, queueSize, replay } = options;
  const subscribers = new Set<Subscriber>();
  const waitingForRoom = new Set<() => void>();
  let backlog: { readonly event: Buffer; readonly until: number }[] = [];
  let published = 0;
  let dropped = 0;
  let disconnected = 0;
  let closed = false;

  const length = (subscriber: Subscriber) => subscriber.queue.length - subscriber.head;
  const overfull = () => [...subscribers].some((subscriber) => length(subscriber) > queueSize);
  const signalRoom = () => {
    if (waitingForRoom.size > 0 && !overfull()) for (const wake of waitingForRoom) wake();
  };

  const finish = (subscriber: Subscriber, end: CriError | null) => {
    if (subscriber.end !== undefined) return;
    subscriber.end = end;
    subscribers.delete(subscriber);
    subscriber.wake?.();
    signalRoom();
  };

  const offer = (subscriber: Subscriber, event: Buffer) => {
    if (length(subscriber) < queueSize || overflow === 'block') {
      subscriber.queue.push(event);
      subscriber.wake?.();
    } else if (overflow === 'drop') {
      dropped++;
    } else {
      disconnected++;
      subscriber.queue.length = 0;
      subscriber.head = 0;
      finish(subscriber, tooSlow(queueSize));
    }
  };

  const keep = (event: Buffer) => {
    const now = clock.elapsed();
    backlog = backlog.filter((kept) => kept.until > now).slice(1 - queueSize);
    backlog.push({ event, until: now + REPLAY_FOR });
  };

  const take = (subscriber: Subscriber): Buffer | undefined => {
    if (length(subscriber) === 0) return undefined;
    const event = subscriber.queue[subscriber.head++];
    if (subscriber.head > 64 && subscriber.head * 2 > subscriber.queue.length) {
      subscriber.queue.splice(0, subscriber.head);
      subscriber.head = 0;
    }
    signalRoom();
    return event;
  };

  const next = async (subscriber: Subscriber): Promise<IteratorResult<Buffer, undefined>> => {
    for (;;) {
      const event = take(subscriber);
      if (event !== undefined) return { done: false, value: event };
      if (subscriber.end) throw subscriber.end;
      if (subscriber.end === null) return { done: true, value: undefined };
      await clock.idle(
        new Promise<void>((resolve) => {
          subscriber.wake = resolve;
        }),
      );
      subscriber.wake = undefined;
    }
  };

  return {
    get wanted() {
      return subscribers.size > 0 || replay;
    },
    publish: (event) => {
      published++;
      if (subscribers.size === 0 && replay) keep(event);
      for (const subscriber of subscribers) offer(subscriber, event);
    },
    subscribe: (signal) => {
      const subscriber: Subscriber = { queue: [], head: 0, wake: undefined, end: undefined };
      if (signal.aborted || closed) subscriber.end = null;
      else subscribers.add(subscriber);
      const leave = () => {
        subscriber.queue.length = 0;
        subscriber.head = 0;
        finish(subscriber, null);
      };
      signal.addEventListener('abort', leave, { once: true });
      const now = clock.elapsed();
      for (const kept of backlog) if (kept.until > now) subscriber.queue.push(kept.event);
      backlog = [];
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => next(subscriber),
          return: async () => {
            signal.removeEventListener('abort', leave);
            leave();
            return { done: true, value: undefined };
          },
        }),
      };
    },
    room: (signal) => {
      if (overflow !== 'block' || signal.aborted || !overfull()) return undefined;
      const room = new Promise<void>((resolve) => {
        const wake = () => {
          waitingForRoom.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waitingForRoom.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
      return clock.idle(room);
    },
    close: () => {
      closed = true;
      for (const subscriber of subscribers) finish(subscriber, null);
    },
    get stats() {
      return { published, dropped, disconnected, queues: [...subscribers].map(length) };
    },
  };
}

function tooSlow(queueSize: number): CriError {
  return new CriError(
    'exhausted',
    `the subscriber was too slow: ${queueSize} events waited for it; subscribe again and list, or raise the queue size`,
  );
}
