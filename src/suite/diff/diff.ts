import { messageOf } from '../../base/input/error-text.js';
import { createRandom } from '../../base/random/random.js';
import { cleanUp } from '../conformance/cleanup.js';
import { Unusable } from '../conformance/unusable.js';
import { compareTraces, kindOf, type TraceDifference } from './compare.js';
import { Finds } from './finds.js';
import { randomSequence, subscriberSequence } from './generate.js';
import type { Known } from './known.js';
import { playBoth } from './play.js';
import { type DiffReport, type ReportedKind, reportFind, reportKnown } from './report.js';
import { shrink } from './shrink.js';
import { openSide, type Runtime, type Side, type SideOptions } from './side.js';
import { lengthOf, type Sequence, showStep } from './steps.js';

export interface DiffOptions extends SideOptions {
  readonly left: Runtime;
  readonly right: Runtime;
  readonly seed: number;
  readonly sequences: number;
  readonly parallel: number;
  /** Whether some sequences open other event streams: an unread one blocks some runtimes for seconds. */
  readonly subscribers: boolean;
  readonly known: readonly Known[];
  readonly onProgress?: (progress: DiffProgress) => void;
}

export interface DiffProgress {
  readonly phase: 'sequences' | 'shortening';
  readonly done: number;
  readonly of: number;
  readonly kinds: number;
}

/** One of 40 sequences has another subscriber; one of 200 has one that does not read. These run alone. */
const SUBSCRIBER = { every: 40, at: 4 };
const UNREAD = { every: 200, at: 14 };

/** Times that a kind must occur, in random sequences or in repetitions of its shortest one: fewer may be chance. */
const STEADY = 3;
/** Used for a sequence that repeats a step many times, which takes a long time. */
const STEADY_LONG = 2;

/** Runs random sequences on two runtimes and compares the results. Throws Unusable when one stops responding. */
export async function diffRuntimes(options: DiffOptions): Promise<DiffReport> {
  const { left, right, clock, run, timeout, signal } = options;
  const begin = clock.elapsed();
  const sides = await Promise.all([openSide(left, options), openSide(right, options)]);
  const work = new DiffRun(sides, options);
  try {
    await work.run();
  } finally {
    for (const { events } of sides) events.close();
    const limits = { timeout, interrupted: signal.aborted };
    const left = await Promise.all(sides.map(({ cri }) => cleanUp(cri, clock, run, limits)));
    work.leftovers = left.flat();
  }
  return work.report((clock.elapsed() - begin) / 1000);
}

class DiffRun {
  leftovers: readonly string[] = [];
  readonly #sides: readonly [Side, Side];
  readonly #options: DiffOptions;
  readonly #finds: Finds;
  /** The differences of each played sequence by its text: kinds often share a short sequence. */
  readonly #played = new Map<string, readonly TraceDifference[]>();
  /** Shortened kinds, and whether they occurred each time. */
  readonly #shortened = new Map<string, boolean>();
  #done = 0;
  #plays = 0;

  constructor(sides: readonly [Side, Side], options: DiffOptions) {
    this.#sides = sides;
    this.#options = options;
    this.#finds = new Finds(options.known);
  }

  async run(): Promise<void> {
    const { sequences, subscribers, parallel, signal } = this.#options;
    const all = Array.from({ length: sequences }, (_, index) => index);
    const isAlone = (index: number) => subscribers && index % SUBSCRIBER.every === SUBSCRIBER.at;
    const isUnread = (index: number) => subscribers && index % UNREAD.every === UNREAD.at;
    const play = async (index: number) =>
      this.#random(this.#sequence(index, isAlone(index), isUnread(index)));
    const alone = all.filter((index) => isAlone(index) || isUnread(index));
    await inParallel(
      all.filter((index) => !alone.includes(index)),
      parallel,
      signal,
      play,
    );
    await inParallel(alone, 1, signal, play);
    await this.#shortenAll();
  }

  report(seconds: number): DiffReport {
    const { left, right, image, seed, sequences, known } = this.#options;
    const kinds: ReportedKind[] = [];
    for (const kind of this.#finds.kinds) {
      const steady = this.#shortened.get(kind);
      if (steady !== false) kinds.push(reportFind(this.#finds.of(kind), steady === true));
    }
    return {
      runtimes: [left.name, right.name],
      image,
      seed,
      sequences: this.#done,
      wanted: sequences,
      seconds,
      kinds,
      known: reportKnown(known, this.#finds.explained),
      unsteady: [...this.#shortened.values()].filter((steady) => !steady).length,
      leftovers: this.leftovers,
    };
  }

  #sequence(index: number, isAlone: boolean, isUnread: boolean): Sequence {
    const random = createRandom(this.#options.seed).fork(`sequence ${index}`);
    return isAlone || isUnread ? subscriberSequence(random, !isUnread) : randomSequence(random);
  }

  async #random(sequence: Sequence): Promise<void> {
    const differences = await this.#compare(sequence);
    // Cancelled calls differ depending on chance.
    if (this.#options.signal.aborted) return;
    this.#finds.add(sequence, differences);
    this.#done++;
    this.#progress('sequences', this.#done, this.#options.sequences);
  }

  async #compare(sequence: Sequence): Promise<readonly TraceDifference[]> {
    const token = `${this.#options.run}-${this.#plays++}`;
    const [left, right] = await playBoth(this.#sides, sequence, token);
    const differences = compareTraces(sequence, left, right);
    if (differences.some((each) => /^UNAVAILABLE/.test(each.left) || /^UNAVAILABLE/.test(each.right)))
      await Promise.all(this.#sides.map(mustAnswer));
    return differences;
  }

  async #shortenAll(): Promise<void> {
    const { parallel, signal } = this.#options;
    const isAlone = (kind: string) =>
      this.#finds.of(kind).sequence.some(({ calls }) => calls[0]?.method === 'GetContainerEvents');
    // Kinds that occur only in this repetition are chance. The shortest sequences come first: the rest of each may show
    // others.
    const kinds = this.#finds.kinds.toSorted(
      (a, b) => lengthOf(this.#finds.of(a).sequence) - lengthOf(this.#finds.of(b).sequence),
    );
    const shorten = async (kind: string) => {
      await this.#shorten(kind);
      this.#progress('shortening', this.#shortened.size, kinds.length);
    };
    await inParallel(
      kinds.filter((kind) => !isAlone(kind)),
      parallel,
      signal,
      shorten,
    );
    await inParallel(kinds.filter(isAlone), 1, signal, shorten);
  }

  async #shorten(kind: string): Promise<void> {
    const { signal } = this.#options;
    const { sequence, difference, count } = this.#finds.of(kind);
    const shows = async (shorter: Sequence, isNew = false): Promise<boolean> => {
      if (signal.aborted) return false;
      const differences =
        (isNew ? undefined : this.#played.get(textOf(shorter))) ?? (await this.#compare(shorter));
      if (signal.aborted) return false;
      this.#played.set(textOf(shorter), differences);
      this.#finds.shorten(shorter, differences);
      return differences.some((each) => kindOf(each) === kind);
    };
    const isLong = sequence.some(({ times }) => times !== undefined);
    const wanted = isLong ? STEADY_LONG : STEADY;
    let shown = count;
    // A result of chance is not worth the time.
    if (shown < wanted && !(await shows(sequence, true))) {
      if (!signal.aborted) this.#shortened.set(kind, false);
      return;
    }
    shown++;
    // A long sequence can't be shortened.
    let isSteady = isLong;
    if (!isLong) {
      await shrink(sequence, difference.step, shows);
      isSteady = await shows(this.#finds.of(kind).sequence, true);
      shown++;
    }
    for (; shown < wanted && isSteady; shown++) isSteady = await shows(this.#finds.of(kind).sequence, true);
    if (!signal.aborted) this.#shortened.set(kind, isSteady);
  }

  #progress(phase: DiffProgress['phase'], done: number, of: number): void {
    this.#options.onProgress?.({ phase, done, of, kinds: this.#finds.kinds.length });
  }
}

const textOf = (sequence: Sequence): string => sequence.map(showStep).join('\n');

async function mustAnswer({ cri, name, timeout }: Side): Promise<void> {
  try {
    await cri.version({}, { timeout });
  } catch (error) {
    throw new Unusable(`${name} answers no more: ${messageOf(error)}`);
  }
}

/** Does the work for each item, `parallel` at a time, until the signal aborts. */
async function inParallel<T>(
  items: Iterable<T>,
  parallel: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}
