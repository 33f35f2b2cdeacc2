import { setMaxListeners } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Clock } from '../../base/clock/clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { makeTemporaryDirectory } from '../../base/input/temporary-directory.js';
import { createRandom } from '../../base/random/random.js';
import type { CriClient } from '../../cri/client/client.js';
import { type CriConnection, connectCri } from '../../cri/client/connect.js';
import { recordClient } from '../../tape/client-recorder.js';
import { judgeConversation } from '../../tape/judge/conversation-judge.js';
import { createTape, type Tape } from '../../tape/tape.js';
import { cleanUp } from '../conformance/cleanup.js';
import type { Facts } from '../conformance/facts.js';
import { chooseImage } from '../conformance/image.js';
import { greet, probe } from '../conformance/probes.js';
import { whyGone } from '../conformance/why-gone.js';
import { deviationsOf, type ProfileName, profileFor } from '../deviations/index.js';
import { openSide } from '../diff/side.js';
import { lengthOf, showStep } from '../diff/steps.js';
import { Driver } from './driver.js';
import { type BrokenKind, BrokenKinds } from './kinds.js';
import { leftoversOf } from './leftovers.js';
import type { LoadSide } from './pod-run.js';
import type { LoadReport } from './report.js';
import { type Shortened, shortenAll, showWithoutLoad } from './shorten.js';

export interface LoadOptions {
  readonly endpoint: string;
  /** Default: the profile for the runtime's name, otherwise strict. */
  readonly profile?: ProfileName | undefined;
  readonly seed: number;
  /** Connections that make calls concurrently. */
  readonly clients: number;
  readonly pods: number;
  /** Duration of the load once all pods exist, in ms. Shortening takes the same time, or 30 s. */
  readonly duration: number;
  readonly image?: string | undefined;
  /** Limit of one call, in ms. */
  readonly timeout: number;
  /** Time for the last event of a pod, in ms. Default 10,000. */
  readonly patience?: number | undefined;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

export interface LoadProgress {
  readonly phase: 'filling' | 'load' | 'shortening' | 'removing';
  /** In pods, seconds, rules or pods, by phase. */
  readonly done: number;
  readonly of: number;
  readonly calls: number;
  readonly kinds: number;
}

/** Interval of progress reports, in ms. */
const TELL = 250;

/** Shortest time for shortening, in ms. */
const LEAST_SHORTENING = 30_000;

/** Limit of the first calls, in ms. */
const GREETING = 10_000;

/** Tests the invariants under random load, and removes its objects. Throws `Unusable` for an unusable endpoint. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const clock = options.clock ?? createRealClock();
  const connections = Array.from({ length: options.clients }, () => connectCri(options.endpoint));
  const directory = makeTemporaryDirectory('mockri-load-');
  try {
    return await new LoadRun(options, connections, clock, directory).run();
  } finally {
    for (const connection of connections) connection.close();
    await rm(directory, { recursive: true, force: true });
  }
}

class LoadRun {
  readonly #options: LoadOptions;
  readonly #connections: readonly CriConnection[];
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #run: string;
  /** Also aborts when the runtime is gone. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #gone: string | undefined;
  #calls = 0;
  #loaded = 0;

  constructor(options: LoadOptions, connections: readonly CriConnection[], clock: Clock, directory: string) {
    this.#options = options;
    this.#connections = connections;
    this.#clock = clock;
    this.#directory = directory;
    this.#run = `${process.pid.toString(36)}-${clock.now().toString(36)}`;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
    // Every call in progress adds a listener.
    setMaxListeners(0, this.#signal);
  }

  async run(): Promise<LoadReport> {
    const { signal } = this.#options;
    const begin = this.#clock.elapsed();
    const cri = this.#connections[0] as CriConnection;
    const limit = { timeout: GREETING, signal };
    const greeting = await greet(cri, limit);
    const image = await chooseImage(cri, this.#options.image, limit);
    const timeout = this.#options.timeout;
    try {
      const facts = await probe({
        ...{ cri, clock: this.#clock, greeting, image: image.reference, timeout, run: this.#run, signal },
        ...{ canRestart: false, hasControl: false },
      });
      const profile = this.#options.profile ?? profileFor(facts.runtimeName);
      const kinds = new BrokenKinds(deviationsOf(profile), facts.runtimeVersion);
      const result = await this.#load(facts, kinds);
      return {
        format: 'mockri-load/1',
        endpoint: this.#options.endpoint,
        profile,
        runtime: { name: facts.runtimeName, version: facts.runtimeVersion },
        image: facts.image,
        seed: this.#options.seed,
        clients: this.#options.clients,
        pods: this.#options.pods,
        wanted: this.#options.duration / 1000,
        loaded: this.#loaded / 1000,
        seconds: (this.#clock.elapsed() - begin) / 1000,
        calls: this.#calls,
        events: facts.events === 'open',
        ...result,
        interrupted: signal.aborted,
        ...(this.#gone !== undefined && { incomplete: `the load was not judged: ${this.#gone}` }),
      };
    } finally {
      if (image.wasPulled)
        await cri.removeImage({ image: { image: image.reference } }, { timeout: GREETING }).catch(() => {});
    }
  }

  async #load(facts: Facts, kinds: BrokenKinds) {
    const tape = createTape(this.#clock);
    let driver: Driver | undefined;
    const header = { startedAt: String(tape.startedAt), lacks: undefined };
    const judge = judgeConversation(header, undefined, (finding) => driver?.found(finding));
    let line = 0;
    tape.listen({
      entry: (entry) => {
        if (entry.kind === 'call') this.#calls++;
        judge.give({ line: ++line, entry });
      },
    });
    const load = await this.#open(facts, tape);
    try {
      driver = new Driver({
        load,
        kinds,
        pods: this.#options.pods,
        random: createRandom(this.#options.seed),
        run: this.#run,
        signal: this.#signal,
        onDoubt: () => this.#mustAnswer(),
      });
      const shortened = await this.#drive(driver, kinds);
      const left = await this.#leftovers(driver);
      return {
        ...report(kinds, shortened),
        filled: driver.filled,
        done: driver.done,
        unjudged: driver.unjudged,
        left,
      };
    } finally {
      for (const { events } of load.sides.slice(0, 1)) events.close();
      tape.end();
    }
  }

  async #open(facts: Facts, tape: Tape): Promise<LoadSide> {
    const options = {
      clock: this.#clock,
      run: this.#run,
      image: facts.image,
      directory: this.#directory,
      timeout: this.#options.timeout,
      signal: this.#signal,
    };
    const recorded = this.#connections.map((connection) => recordClient(connection, tape));
    const first = await openSide({ name: 'client 1', cri: recorded[0] as CriClient }, options);
    return {
      sides: recorded.map((cri, index) => ({ ...first, name: `client ${index + 1}`, cri })),
      canForce: !facts.missing.has('forced removal'),
      hasEvents: facts.events === 'open',
      patience: this.#options.patience ?? 10_000,
    };
  }

  /** Fills the runtime with pods, keeps up the load, shortens the plans of violations, and removes everything. */
  async #drive(driver: Driver, kinds: BrokenKinds): Promise<ReadonlyMap<string, Shown>> {
    const { duration, pods } = this.#options;
    const tell = (phase: LoadProgress['phase'], done: number, of: number) =>
      this.#options.onProgress?.({ phase, done, of, calls: this.#calls, kinds: kinds.unexpected.length });
    await this.#telling(driver.start(), () => tell('filling', driver.filled, pods));
    const begin = this.#clock.elapsed();
    const pause = this.#clock.sleep(duration, this.#signal).catch(() => {});
    await this.#telling(pause, () =>
      tell('load', Math.round((this.#clock.elapsed() - begin) / 1000), duration / 1000),
    );
    this.#loaded = Math.min(duration, this.#clock.elapsed() - begin);
    const until = this.#clock.elapsed() + Math.max(duration, LEAST_SHORTENING);
    const shortened = await shortenAll(driver, kinds, this.#clock, until, this.#signal, (done, of) =>
      tell('shortening', done, of),
    );
    tell('removing', 0, pods);
    await driver.drain();
    const alone = this.#signal.aborted ? new Set<string>() : await showWithoutLoad(driver, kinds);
    return new Map([...shortened].map(([rule, one]) => [rule, { ...one, alone: alone.has(rule) }]));
  }

  async #telling(work: Promise<void>, tell: () => void): Promise<void> {
    const over = new AbortController();
    const done = work.finally(() => over.abort());
    while (!over.signal.aborted) {
      tell();
      await this.#clock.sleep(TELL, over.signal).catch(() => {});
    }
    await done;
  }

  async #mustAnswer(): Promise<void> {
    if (this.#signal.aborted) return;
    const gone = await whyGone(this.#connections.at(-1) as CriConnection, GREETING);
    if (gone === undefined) return;
    this.#gone ??= gone;
    this.#stop.abort(new Error(gone));
  }

  async #leftovers(driver: Driver): Promise<string[]> {
    const cri = this.#connections[0] as CriConnection;
    const left = this.#signal.aborted ? [] : await this.#look(cri, driver);
    const limits = { timeout: this.#options.timeout, interrupted: this.#signal.aborted };
    if (this.#gone !== undefined) {
      await cleanUp(cri, this.#clock, this.#run, { ...limits, timeout: GREETING });
      return [];
    }
    return [...new Set([...left, ...(await cleanUp(cri, this.#clock, this.#run, limits))])];
  }

  async #look(cri: CriConnection, driver: Driver): Promise<readonly string[]> {
    try {
      return await leftoversOf(cri, this.#run, (id) => driver.owns(id), GREETING);
    } catch (error) {
      await this.#mustAnswer();
      if (this.#gone === undefined) throw error;
      return [];
    }
  }
}

interface Shown extends Shortened {
  readonly alone: boolean;
}

const NOT_SHOWN: Shown = { again: false, isShortest: false, alone: false };

function report(kinds: BrokenKinds, shown: ReadonlyMap<string, Shown>): Pick<LoadReport, 'kinds' | 'known'> {
  const known = ({ rule, count, deviation }: BrokenKind) =>
    deviation === undefined ? [] : [{ rule, count, why: deviation.why, link: deviation.link }];
  return {
    kinds: kinds.unexpected.map(({ rule, message, count, plan = [] }) => ({
      ...{ rule, message, count },
      steps: plan.map(showStep),
      calls: lengthOf(plan),
      ...(shown.get(rule) ?? NOT_SHOWN),
    })),
    known: kinds.list.flatMap(known),
  };
}
