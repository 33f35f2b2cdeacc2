import type { Clock } from '../../base/clock/clock.js';
import { CallError } from '../../cri/client/call-error.js';
import { type CriClient, transportOf } from '../../cri/client/client.js';
import type { ContainerEventResponse } from '../../cri/gen/runtime/v1/api.js';
import { allMethods, type CriMethod } from '../../cri/methods.js';
import type { Exchange, History } from '../../tape/history/exchanges.js';
import { Tracks } from '../../tape/history/tracks.js';
import { Ages } from './ages.js';
import { LiveComparison, type LiveOutcome } from './comparison.js';
import { compareEvents } from './events.js';
import { learn, Made } from './made.js';
import { Names } from './names.js';
import { type ReplayReport, ReportBuilder } from './report.js';
import { createRequests } from './requests.js';

export interface ReplayOptions {
  readonly history: History;
  readonly cri: CriClient;
  readonly clock: Clock;
  /** 1 for the recorded pace, 10 for ten times as fast, infinite for as fast as possible. */
  readonly speed: number;
  /** For logs, and for files that a kubelet had created for its pods. */
  readonly directory: string;
  readonly signal: AbortSignal;
  /** Leaves the created objects in the runtime. */
  readonly keep?: boolean | undefined;
  /** Called before each call of the tape with its number, from 1, also for skipped calls. */
  readonly onProgress?: ((calls: number) => void) | undefined;
}

interface Running {
  readonly request: object;
  readonly outcome: Promise<LiveOutcome>;
  readonly abort: AbortController;
}

/** Interval of checks for an object, in ms. */
const LOOK = 100;

/** Time for events, in ms. */
const LATE = 2000;

const methods = new Map(allMethods.map((method) => [method.name, method]));

/**
 * Repeats the calls of a tape in their order: each call waits for the replies that preceded it on the tape. Compares
 * the replies. Containers do not run faster with --speed: a call that shows less than on the tape is repeated until the
 * container is as old as it was.
 */
export async function replayTape(options: ReplayOptions): Promise<ReplayReport> {
  const replay = new Replay(options);
  try {
    await replay.run();
  } finally {
    await replay.close();
  }
  return replay.report();
}

class Replay {
  readonly #options: ReplayOptions;
  readonly #tracks: Tracks;
  readonly #names = new Names();
  readonly #ages: Ages;
  readonly #made: Made;
  readonly #comparison: LiveComparison;
  readonly #report = new ReportBuilder();
  readonly #prepare: ReturnType<typeof createRequests>;
  readonly #running = new Map<Exchange, Running>();
  readonly #events: ContainerEventResponse[] = [];
  #reached = 0;

  constructor(options: ReplayOptions) {
    const { history, cri, clock, directory } = options;
    this.#options = options;
    this.#tracks = new Tracks(history);
    this.#ages = new Ages(clock);
    this.#made = new Made(cri);
    this.#comparison = new LiveComparison(history, this.#tracks, this.#names, this.#ages);
    this.#prepare = createRequests(this.#tracks, this.#names, directory);
  }

  async run(): Promise<void> {
    const { history, clock, speed, signal } = this.#options;
    const steps = history.exchanges.flatMap((exchange) => [
      { t: exchange.at, exchange, isBegin: true },
      { t: exchange.until, exchange, isBegin: false },
    ]);
    steps.sort((a, b) => (a.t === b.t ? 0 : a.t - b.t));
    const first = steps[0]?.t ?? 0;
    const begun = clock.elapsed();
    for (const { t, exchange, isBegin } of steps) {
      if (signal.aborted || !Number.isFinite(t)) break;
      const due = begun + (t - first) / 1e6 / speed;
      const late = clock.elapsed() - due;
      // Client actions are repeated at their time.
      const isClient = isBegin || exchange.outcome?.by === 'client';
      if (isClient && late < 0) await clock.sleep(-late, signal).catch(() => {});
      if (speed < Number.POSITIVE_INFINITY && late / 1000 > this.#report.behind) {
        this.#report.behind = late / 1000;
        this.#comparison.slack = Math.max(this.#comparison.slack, late * 1e6);
      }
      if (isBegin) this.#begin(exchange);
      else await this.#end(exchange);
    }
    for (const { exchange, difference } of await this.#eventDifferences())
      this.#report.differs(exchange, {}, difference);
  }

  #begin(exchange: Exchange): void {
    this.#options.onProgress?.(++this.#reached);
    const prepared = this.#prepare(exchange);
    if (prepared.why !== undefined) {
      this.#report.skip(exchange, prepared.why);
      return;
    }
    this.#report.calls++;
    this.#ages.begin(exchange);
    const abort = new AbortController();
    const outcome = this.#call(exchange, prepared.request, abort.signal);
    this.#running.set(exchange, { request: prepared.request, outcome, abort });
  }

  async #end(exchange: Exchange): Promise<void> {
    const running = this.#running.get(exchange);
    if (running === undefined) return;
    this.#running.delete(exchange);
    const isEvents = exchange.method === 'GetContainerEvents';
    if (isEvents) await this.#eventDifferences(exchange.until);
    // Repeats the tape's cancellations. Only a fault can have closed this stream, because a runtime never does.
    if (isEvents || exchange.outcome?.by === 'client') running.abort.abort();
    const outcome = await running.outcome;
    const changed = [...this.#tracks.all()].filter((track) => track.changes.includes(exchange));
    learn(exchange, outcome, { names: this.#names, made: this.#made, pulled: this.#comparison.pulled });
    this.#ages.end(exchange, changed);
    if (isEvents || exchange.outcome?.by !== undefined) return;
    await this.#compare(exchange, running.request, outcome);
  }

  /** Compares, and repeats the call while the difference may disappear. */
  async #compare(exchange: Exchange, request: object, first: LiveOutcome): Promise<void> {
    const { clock, signal } = this.#options;
    const begun = clock.elapsed();
    let until: number | undefined;
    let outcome = first;
    for (;;) {
      const found = this.#comparison.compare(exchange, this.#asOnTape(outcome));
      const wait = Math.max(...found.map(({ retryFor = 0 }) => retryFor), 0);
      until ??= begun + wait / 1e6;
      if (wait === 0 || clock.elapsed() > until || signal.aborted) {
        for (const each of found) {
          const { difference, track, reason, retryFor } = each;
          this.#report.differs(exchange, track?.created?.subject ?? exchange.subject, difference, reason);
          if (retryFor !== undefined) this.#comparison.miss(each);
        }
        if (found.length === 0) this.#report.same++;
        return;
      }
      await clock.sleep(LOOK, signal).catch(() => {});
      outcome = await this.#call(exchange, request, signal);
    }
  }

  #asOnTape(outcome: LiveOutcome): LiveOutcome {
    return this.#names.toTape(outcome);
  }

  async #call(
    { method: name, timeout }: Exchange,
    request: object,
    signal: AbortSignal,
  ): Promise<LiveOutcome> {
    const method = methods.get(name) as CriMethod;
    const { cri, signal: ending } = this.#options;
    const options = {
      signal: AbortSignal.any([signal, ending]),
      ...(timeout !== undefined && { timeout: timeout / 1e6 }),
    };
    const transport = transportOf(cri);
    try {
      if (!method.stream) return ok(await transport.unary(method, request, options));
      let last: object | undefined;
      for await (const message of transport.stream(method, request, options)) {
        last = message;
        if (name === 'GetContainerEvents') this.#events.push(message as ContainerEventResponse);
      }
      return ok(last);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return { code: error.codeName, details: error.details, reply: undefined };
    }
  }

  /**
   * Returns the differences from the tape's events up to a time on the tape, in ns; a runtime may be late with the last
   * ones.
   */
  async #eventDifferences(upTo = Number.POSITIVE_INFINITY): Promise<ReturnType<typeof compareEvents>> {
    const { history, clock, signal } = this.#options;
    const until = clock.elapsed() + LATE;
    for (;;) {
      const found = compareEvents(history, this.#names.toTape(this.#events), {
        upTo,
        isMade: (id) => Boolean(this.#names.liveOf(id)),
      });
      if (found.length === 0 || signal.aborted || clock.elapsed() >= until) return found;
      await clock.sleep(LOOK, signal).catch(() => {});
    }
  }

  report(): ReplayReport {
    return this.#report.report();
  }

  async close(): Promise<void> {
    for (const { abort } of this.#running.values()) abort.abort();
    await Promise.allSettled([...this.#running.values()].map(({ outcome }) => outcome));
    if (!this.#options.keep) await this.#made.removeAll();
  }
}

const ok = (reply: object | undefined): LiveOutcome => ({ code: 'OK', details: '', reply });
