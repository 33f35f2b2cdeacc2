import type { Clock } from '../../base/clock/clock.js';
import type { NewFields } from '../../cri/own-proto/new-fields.js';
import { codeNames } from '../../cri/status-code.js';
import type { SubjectNames } from '../../cri/subject.js';

export interface CallRecord {
  /** From 1, in order of completion. */
  readonly sequence: number;
  /** With `mockri node`. */
  readonly node?: string | undefined;
  /** `StartContainer` */
  readonly method: string;
  readonly peer: string;
  /** Number of the connection, from 1. */
  readonly connection: number;
  readonly subject: SubjectNames | undefined;
  readonly image?: string | undefined;
  /** gRPC status code, 0 to 16. */
  readonly code: number;
  readonly details: string;
  /** When the request had arrived, Unix nanoseconds. */
  readonly startedAt: bigint;
  /** Milliseconds. */
  readonly duration: number;
  /** Messages sent: 1 for an answered unary call. */
  readonly messages: number;
  /** The fault rules that took part, in order. */
  readonly faults: readonly string[];
  /** With `--proto`: the fields of its messages that the shipped api.proto lacks. */
  readonly newFields?: NewFields | undefined;
}

/** Upper bounds of the latency histogram, in seconds; one more bucket has the rest. */
export const latencyBuckets = [
  0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;

export interface MethodStats {
  readonly method: string;
  started: number;
  /** By gRPC code. */
  readonly codes: Float64Array;
  /** Calls by latency bucket, not cumulative. */
  readonly buckets: Float64Array;
  /** Seconds. */
  latencySum: number;
  messages: number;
}

/** Selects calls of the history; missing fields match all. */
export interface CallFilter {
  readonly method?: string | undefined;
  readonly code?: number | undefined;
  /** Name or id prefix of the pod. */
  readonly pod?: string | undefined;
  /** Name or id prefix of the container. */
  readonly container?: string | undefined;
  /** Only calls with a greater sequence number. */
  readonly since?: number | undefined;
  readonly faulty?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** History and statistics of all calls. Keeps the newest `capacity` records. */
export class CallLog {
  readonly #clock: Clock;
  readonly #ring: (CallRecord | undefined)[];
  readonly #stats = new Map<string, MethodStats>();
  readonly #listeners = new Set<(record: CallRecord) => void>();
  #sequence = 0;

  constructor(clock: Clock, capacity = 10_000) {
    this.#clock = clock;
    this.#ring = new Array(capacity).fill(undefined);
  }

  stats(method: string): MethodStats {
    let stats = this.#stats.get(method);
    if (stats === undefined) {
      stats = {
        method,
        started: 0,
        codes: new Float64Array(codeNames.length),
        buckets: new Float64Array(latencyBuckets.length + 1),
        latencySum: 0,
        messages: 0,
      };
      this.#stats.set(method, stats);
    }
    return stats;
  }

  get methods(): Iterable<MethodStats> {
    return this.#stats.values();
  }

  get sequence(): number {
    return this.#sequence;
  }

  finish(
    stats: MethodStats,
    call: Omit<CallRecord, 'sequence' | 'duration' | 'method'>,
    begun: number,
  ): void {
    const duration = this.#clock.elapsed() - begun;
    const seconds = duration / 1000;
    count(stats.codes, call.code);
    count(stats.buckets, bucketOf(seconds));
    stats.latencySum += seconds;
    stats.messages += call.messages;
    this.add({
      method: stats.method,
      peer: call.peer,
      connection: call.connection,
      subject: call.subject,
      image: call.image,
      code: call.code,
      details: call.details,
      startedAt: call.startedAt,
      duration,
      messages: call.messages,
      faults: call.faults,
      newFields: call.newFields,
    });
  }

  /** Adds a finished call to the history alone. */
  add(call: Omit<CallRecord, 'sequence'>): void {
    const record = { sequence: ++this.#sequence, ...call };
    this.#ring[this.#sequence % this.#ring.length] = record;
    for (const listener of this.#listeners) listener(record);
  }

  /** Calls `listener` for each finished call. Returns a function that unsubscribes it. */
  onCall(listener: (record: CallRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  list(filter: CallFilter = {}): CallRecord[] {
    const found: CallRecord[] = [];
    const limit = filter.limit ?? Number.POSITIVE_INFINITY;
    const oldest = Math.max(filter.since ?? 0, this.#sequence - this.#ring.length, 0);
    for (let sequence = this.#sequence; sequence > oldest && found.length < limit; sequence--) {
      const record = this.#ring[sequence % this.#ring.length];
      if (record !== undefined && passes(record, filter)) found.push(record);
    }
    return found.reverse();
  }
}

function count(counters: Float64Array, index: number): void {
  counters[index] = (counters[index] ?? 0) + 1;
}

function bucketOf(seconds: number): number {
  const index = latencyBuckets.findIndex((bound) => seconds <= bound);
  return index < 0 ? latencyBuckets.length : index;
}

function passes({ method, code, subject, faults }: CallRecord, filter: CallFilter): boolean {
  return (
    (filter.method === undefined || method === filter.method) &&
    (filter.code === undefined || code === filter.code) &&
    (filter.pod === undefined || isCalled(subject?.pod, filter.pod)) &&
    (filter.container === undefined || isCalled(subject?.container, filter.container)) &&
    (filter.faulty === undefined || faults.length > 0 === filter.faulty)
  );
}

const isCalled = (
  object: { readonly id: string; readonly name: string } | undefined,
  word: string,
): boolean =>
  object !== undefined && (object.name === word || (object.id !== '' && object.id.startsWith(word)));
