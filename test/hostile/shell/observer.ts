import { closeSync, openSync, readSync } from 'node:fs';
// biome-ignore lint/style/noRestrictedImports: collections of garbage have the times of this clock, and the name of no other.
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { turn } from '../../../src/base/clock/turn.js';

export const MIB = 1024 * 1024;
/** What the event loop may be blocked for, in ms of processor time without collections of garbage. */
export const MOST_BLOCK = 50;
/** Shorter blocks are of no interest, in ms. */
const LEAST_BLOCK = 10;
/** What the process may hold in addition to the account, in bytes: V8 gives some things back late. */
const UNPAID = 32 * MIB;

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const buffer = Buffer.alloc(64);
process.once('exit', () => closeSync(schedstat));

/** Processor time of the main thread so far, in ms (proc(5), schedstat): what others do on the machine is not in it. */
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

/** Collections of garbage on the main thread since the last look. */
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

/** What is reachable, in bytes. Buffers that the first collection finds are freed when the next one begins. */
function reachable(): number {
  gc();
  gc();
  return memory();
}

/** What was observed of this process while a script ran. */
export interface Observed {
  /** The longest time between two turns of the event loop, in ms of processor time without collections of garbage; or 0. */
  readonly block: number;
  /** When that was. */
  readonly during: Stretch;
  /** The longest time that collections took between two turns, in ms. */
  readonly collection: number;
  /** Bytes that the process held beyond what the container's processes and files pay for, at the worst time. */
  readonly unpaid: number;
}

/** What the process holds without a container, in bytes, when this was last looked at. */
let empty = Number.POSITIVE_INFINITY;

interface Block extends Stretch {
  readonly time: number;
}

/** Looks at this process in each turn of the event loop. */
export class Observer {
  readonly #paid: () => number;
  readonly #looking: Promise<void>;
  readonly #outOfPatience: () => void;
  readonly #patience: number;
  #isOver = false;
  #held = 0;
  /** Collections have not been taken off their times. */
  readonly #blocks: Block[] = [];

  /** `outOfPatience` is called when there was as much processor time, in ms, as patience. */
  constructor(paid: () => number, patience: number, outOfPatience: () => void) {
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
    while (!this.#isOver) {
      const [from, began] = [elapsed(), processorTime()];
      await turn();
      const now = processorTime();
      const time = now - began;
      if (time > LEAST_BLOCK) this.#blocks.push({ time, from, to: elapsed() });
      if (now - start > this.#patience) this.#outOfPatience();
      // Most of it is garbage; the rest is worth a collection only where it would be too much.
      if (memory() - empty - this.#paid() > Math.max(this.#held - empty, UNPAID))
        this.#held = Math.max(this.#held, reachable() - this.#paid());
    }
  }
}

/** What is wrong with what was observed; undefined if nothing is. */
export function complaint({ block, unpaid }: Observed): string | undefined {
  if (block > MOST_BLOCK) return `the event loop was blocked for ${Math.round(block)} ms`;
  return unpaid > UNPAID ? `${Math.round(unpaid / MIB)} MiB were held that nobody pays for` : undefined;
}
