import type { Clock } from '../../../base/clock/clock.js';
import { Account } from '../../../base/input/account.js';
import { CriError } from '../../../cri/errors.js';
import type { EventOptions } from './event-options.js';
import { Subscription, WaitingEvent } from './subscription.js';

/** containerd internal/cri/server/service.go. */
const REPLAY_FOR = 5 * 60_000;

/** The newest events published without a subscriber, except for expired ones. */
class Backlog {
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

/** Delivers every event to every subscriber, in order (INV-29 to INV-35). */
export interface EventBus {
  /** False if no subscriber would get an event: it need not be encoded then. */
  readonly wanted: boolean;
  /** Sends the same bytes to every subscriber (INV-30). */
  publish(event: Buffer): void;
  /** Subscribes immediately; the iteration ends when the signal aborts or the bus closes. */
  subscribe(signal: AbortSignal): AsyncIterable<Buffer>;
  /** With overflow `block`: resolves once no queue is overfull. Undefined when there is nothing to wait for. */
  room(signal: AbortSignal): Promise<void> | undefined;
  close(): void;
  readonly stats: EventStats;
}

export interface EventStats {
  /** Events, each counted once for all subscribers; without subscribers none are published. */
  readonly published: number;
  readonly dropped: number;
  /** Subscribers that were disconnected because their queue was full. */
  readonly disconnected: number;
  readonly queues: readonly number[];
}

export function createEventBus(clock: Clock, options: EventOptions, account = new Account()): EventBus {
  const { overflow, queueSize, replay } = options;
  const subscribers = new Set<Subscription>();
  const waitingForRoom = new Set<() => void>();
  const backlog = new Backlog(clock, queueSize, account);
  let published = 0;
  let dropped = 0;
  let disconnected = 0;
  let closed = false;

  const overfull = () => [...subscribers].some((subscriber) => subscriber.length > queueSize);
  const signalRoom = () => {
    if (waitingForRoom.size > 0 && !overfull()) for (const wake of waitingForRoom) wake();
  };

  const finish = (subscriber: Subscription, end: CriError | null) => {
    if (subscriber.isOver) return;
    subscribers.delete(subscriber);
    subscriber.finish(end);
    signalRoom();
  };

  const disconnect = (subscriber: Subscription, error: CriError) => {
    disconnected++;
    subscriber.clear();
    finish(subscriber, error);
  };
  const offer = (subscriber: Subscription, event: WaitingEvent) => {
    if (subscriber.length < queueSize || overflow === 'block') {
      if (!subscriber.push(event)) disconnect(subscriber, noMemory());
    } else if (overflow === 'drop') dropped++;
    else disconnect(subscriber, tooSlow(queueSize));
  };

  return {
    get wanted() {
      return subscribers.size > 0 || replay;
    },
    publish: (event) => {
      published++;
      if (subscribers.size === 0 && replay) backlog.keep(event);
      const waiting = new WaitingEvent(event, account);
      for (const subscriber of subscribers) offer(subscriber, waiting);
    },
    subscribe: (signal) => {
      const subscriber = new Subscription(clock, signalRoom);
      if (signal.aborted || closed) subscriber.finish(null);
      else subscribers.add(subscriber);
      for (const event of backlog.take()) offer(subscriber, new WaitingEvent(event, account));
      return iterable(subscriber, signal, () => finish(subscriber, null));
    },
    room: (signal) => {
      if (overflow !== 'block' || signal.aborted || !overfull()) return undefined;
      return clock.idle(awakened(waitingForRoom, signal));
    },
    close: () => {
      closed = true;
      for (const subscriber of subscribers) finish(subscriber, null);
    },
    get stats() {
      const queues = Array.from(subscribers, (subscriber) => subscriber.length);
      return { published, dropped, disconnected, queues };
    },
  };
}

function iterable(subscriber: Subscription, signal: AbortSignal, end: () => void): AsyncIterable<Buffer> {
  const leave = () => {
    subscriber.clear();
    end();
  };
  signal.addEventListener('abort', leave, { once: true });
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => subscriber.next(),
      return: async () => {
        signal.removeEventListener('abort', leave);
        leave();
        return { done: true, value: undefined };
      },
    }),
  };
}

function awakened(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve) => {
    const wake = () => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}

const noMemory = () =>
  new CriError(
    'exhausted',
    'events that wait for subscribers take all memory that they may have: subscribe again and list, or raise --memory-limit',
  );

function tooSlow(queueSize: number): CriError {
  return new CriError(
    'exhausted',
    `the subscriber was too slow: ${queueSize} events waited for it; subscribe again and list, or raise the queue size`,
  );
}
