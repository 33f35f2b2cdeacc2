import { closeSync, openSync, readSync } from 'node:fs';
// biome-ignore lint/style/noRestrictedImports: collections of garbage have the times of this clock, and the name of no other.
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { turn } from '../../../src/base/clock/turn.js';

export const MIB = 1024 * 1024;
/** Longest block of the event loop, in ms of processor time without garbage collection. */
export const MOST_BLOCK = 50;
/** Shorter blocks are ignored, in ms. */
const LEAST_BLOCK = 10;
/** Memory of the process in addition to the account, in bytes: V8 frees some of it late. */
const UNPAID = 32 * MIB;

/** Processor time in ms after which a script is killed. */
export interface Patience {
  /** Since it last held more than ever before. */
  readonly still: number;
  readonly most: number;
}
export const LONG_PATIENCE: Patience = { still: 500, most: 500 };

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const buffer = Buffer.alloc(64);
process.once('exit', () => closeSync(schedstat));

/** Processor time of the main thread so far, in ms (proc(5), schedstat): excludes other processes. */
function processorTime(): number {
  const length = readSync(schedstat, buffer, 0, buffer.length, 0);
  return Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6;
}

/** The time of the stretches below, in ms. */
export const elapsed = (): number => performance.now();

/** A stretch of real time, in ms. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Garbage collections on the main thread since the last check. */
const collections: Stretch[] = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    collections.push({ from: startTime, to: startTime + duration });
}).observe({ entryTypes: ['gc'] });

const overlap = (one: Stretch, other: Stretch): number =>
  Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from));

function memory(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

/** Reachable memory in bytes. The next collection frees buffers that the first one finds. */
function reachable(): number {
  gc();
  gc();
  return memory();
}

/** Observations of this process during a script. */
export interface Observed {
  /** The longest time between two turns of the event loop, in ms of processor time without garbage collection; or 0. */
  readonly block: number;
  /** The time of that block. */
  readonly during: Stretch;
  /** The longest garbage collection between two turns, in ms. */
  readonly collection: number;
  /** Bytes that the process held beyond the account of the container's processes and files, at most. */
  readonly unpaid: number;
}

/** Memory of the process without a container in bytes, as last measured. */
let empty = Number.POSITIVE_INFINITY;

/** The factor that counts as more. */
const GROWTH = 1.5;

interface Block extends Stretch {
  readonly time: number;
}

/** Checks this process in each turn of the event loop. */
export class Observer {
  readonly #paid: () => number;
  readonly #looking: Promise<void>;
  readonly #outOfPatience: () => void;
  readonly #patience: Patience;
  #isOver = false;
  #held = 0;
  /** Still including garbage collections. */
  readonly #blocks: Block[] = [];

  constructor(paid: () => number, patience: Patience, outOfPatience: () => void) {
    this.#paid = paid;
    this.#patience = patience;
    this.#outOfPatience = outOfPatience;
    empty = Math.min(empty, memory());
    collections.length = 0;
    this.#looking = this.#look();
  }

  async end(): Promise<Observed> {
    this.#isOver = true;
    await this.#looking;
    // The last collections are reported one turn later.
    await turn();
    await turn();
    let [worst, most]: [Block, number] = [{ time: 0, from: 0, to: 0 }, 0];
    for (const { time, from, to } of this.#blocks) {
      const collected = collections.reduce((sum, one) => sum + overlap(one, { from, to }), 0);
      most = Math.max(most, collected);
      if (time - collected > worst.time) worst = { time: time - collected, from, to };
    }
    if (this.#held > 0) empty = reachable();
    const unpaid = Math.max(0, this.#held - empty);
    const { time, from, to } = worst;
    return { block: time, during: { from, to }, collection: most, unpaid };
  }

  async #look(): Promise<void> {
    const start = processorTime();
    let [most, grew] = [this.#paid(), start];
    while (!this.#isOver) {
      const [from, began] = [elapsed(), processorTime()];
      await turn();
      const now = processorTime();
      const time = now - began;
      if (time > LEAST_BLOCK) this.#blocks.push({ time, from, to: elapsed() });
      if (this.#paid() > GROWTH * most) [most, grew] = [this.#paid(), now];
      if (now - grew > this.#patience.still || now - start > this.#patience.most) this.#outOfPatience();
      // Most of it is garbage; only excess is worth a collection.
      if (memory() - empty - this.#paid() > Math.max(this.#held - empty, UNPAID))
        this.#held = Math.max(this.#held, reachable() - this.#paid());
    }
  }
}

/** The problem in an observation; undefined without one. */
export function complaint({ block, unpaid }: Observed): string | undefined {
  if (block > MOST_BLOCK) return `the event loop was blocked for ${Math.round(block)} ms`;
  return unpaid > UNPAID ? `${Math.round(unpaid / MIB)} MiB were held that nobody pays for` : undefined;
}
