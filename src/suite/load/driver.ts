import { forgetOldest } from '../../base/input/forget-oldest.js';
import type { Random } from '../../base/random/random.js';
import type { Finding } from '../../tape/judge/finding.js';
import type { Sequence } from '../diff/steps.js';
import type { BrokenKinds } from './kinds.js';
import { randomPlan } from './plan.js';
import { type Broken, type LoadSide, PodRun } from './pod-run.js';

export interface DriverOptions {
  readonly load: LoadSide;
  readonly pods: number;
  readonly random: Random;
  readonly run: string;
  readonly kinds: BrokenKinds;
  /** Aborts when the load must end immediately. */
  readonly signal: AbortSignal;
  /** Called when a call had no reply; ends the load if the runtime is gone. */
  readonly onDoubt: () => Promise<void>;
}

/** Keeps a number of pods alive: each client takes the next pod, and makes the next call of its plan. */
export class Driver {
  readonly #options: DriverOptions;
  readonly #queue: PodRun[] = [];
  readonly #owners = new Map<string, PodRun>();
  /** Pods that wait for their last events. */
  readonly #ending = new Set<Promise<void>>();
  #workers: Promise<unknown> = Promise.resolve();
  #made = 0;
  #filled = 0;
  #isDraining = false;
  /** Removed pods, and those of them that are not judged: a call had no reply. */
  done = 0;
  unjudged = 0;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  /** Pods whose sandbox has run, up to the number of pods. */
  get filled(): number {
    return this.#filled;
  }

  owns(id: string): boolean {
    return this.#owners.has(id);
  }

  start(): Promise<void> {
    const { load, pods, signal } = this.#options;
    for (let index = 0; index < pods; index++) this.#queue.push(this.#next());
    return new Promise((resolve) => {
      const clients = load.sides.map((_, client) => this.#serve(client, resolve));
      this.#workers = Promise.all(clients).finally(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Removes all pods, and waits for their last events. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const run of this.#queue) run.hurry();
    await this.#workers;
    await Promise.all(this.#ending);
  }

  /** Lets new pods follow a plan, all at the same time; resolves with the rules that they broke. */
  async replay(plan: Sequence, times: number): Promise<readonly Broken[]> {
    const { signal, load } = this.#options;
    const live = async (_: unknown, index: number): Promise<readonly Broken[]> => {
      const run = this.#make(plan, () => {});
      for (let client = index; !run.isOver && !signal.aborted; client++)
        await run.step(client % load.sides.length);
      await run.end(index);
      return signal.aborted ? [] : run.broken;
    };
    return (await Promise.all(Array.from({ length: times }, live))).flat();
  }

  found({ side, rule, about, message }: Finding): void {
    if (side !== 'runtime') return;
    const [id = ''] = about.split(' ');
    const owner = this.#owners.get(id);
    if (owner !== undefined) owner.note(rule, message);
    else if (!LIKE_ID.test(id)) this.#options.kinds.add({ rule, message, step: 0 }, undefined);
  }

  async #serve(client: number, onFilled: () => void): Promise<void> {
    const { signal, pods, onDoubt } = this.#options;
    for (let run = this.#queue.shift(); run !== undefined; run = this.#queue.shift()) {
      if (signal.aborted) return;
      const isNew = run.isNew;
      await run.step(client);
      if (isNew && this.#filled < pods && ++this.#filled === pods) onFilled();
      if (run.unanswered !== undefined) {
        await onDoubt();
        if (!signal.aborted) run.note(ANSWERED, `no answer: ${run.unanswered}`);
      }
      if (this.#isDraining) run.hurry();
      if (!run.isOver) this.#queue.push(run);
      else {
        await this.#end(run, client);
        if (!this.#isDraining) this.#queue.push(this.#next());
      }
    }
  }

  /** The next pod need not wait for the last events of this one, unless many pods do. */
  async #end(run: PodRun, client: number): Promise<void> {
    const end = run.end(client).finally(() => {
      this.#ending.delete(end);
      this.done++;
      if (run.unanswered !== undefined) this.unjudged++;
    });
    this.#ending.add(end);
    if (this.#ending.size > this.#options.pods) await Promise.race(this.#ending);
  }

  #next(): PodRun {
    const { random, kinds } = this.#options;
    const plan = randomPlan(random.fork(`pod ${this.#made}`));
    return this.#make(plan, (broken) => kinds.add(broken, plan));
  }

  #make(plan: Sequence, onBroken: (broken: Broken) => void): PodRun {
    const { load, run } = this.#options;
    const made: PodRun = new PodRun(load, plan, `${run}-${this.#made++}`, {
      made: (id) => {
        this.#owners.set(id, made);
        forgetOldest(this.#owners);
      },
      broken: onBroken,
    });
    return made;
  }
}

/** An abandoned call breaks this rule if the runtime answers other calls. */
const ANSWERED = 'every-call-is-answered';

/** The judge's name of a sandbox, a container or an image. */
const LIKE_ID = /^(sha256:)?[0-9a-f]{12,}/;
