import { setMaxListeners } from 'node:events';
import type { Clock } from '../../../base/clock/clock.js';
import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type { Random } from '../../../base/random/random.js';
import type { CallSubject } from '../../../cri/subject.js';
import type { Delay } from '../language/rule-schema.js';
import type { FaultSpec } from '../language/spec.js';
import { compileMatch, type Match } from './compile.js';

export interface RuleCounts {
  /** Number of things of the rule's kind (calls, messages, …) while it was in force. */
  readonly seen: number;
  /** Number of those that its `match` accepts. */
  readonly matched: number;
  /** Number of those on which it acted. */
  readonly applied: number;
  /** Number of those on which it would have acted if an earlier rule had not. */
  readonly shadowed: number;
  /** Number of further actions; undefined for no limit. */
  readonly left: number | undefined;
}

export interface Conditions {
  readonly runtime: boolean;
  readonly network: boolean;
}

/** A rule in force: its counters, its random numbers, and the moment from which its times count. */
export class Rule {
  readonly name: string;
  readonly spec: FaultSpec;
  readonly match: Match;
  /** Aborts when the rule is removed: calls that it delays then continue. */
  readonly released: AbortSignal;
  readonly #release = new AbortController();
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #since: number;
  readonly #perKey = new Map<string, { matched: number; applied: number }>();
  #adopted = false;
  #seen = 0;
  #matched = 0;
  #applied = 0;
  #shadowed = 0;

  constructor(name: string, spec: FaultSpec, clock: Clock, random: Random) {
    this.name = name;
    this.spec = spec;
    this.match = compileMatch(spec);
    this.released = this.#release.signal;
    // Every call that the rule delays, and every lasting effect, adds a listener.
    setMaxListeners(0, this.released);
    this.#clock = clock;
    this.#random = random;
    this.#since = clock.elapsed();
  }

  counts(): RuleCounts {
    const { times, per } = this.spec.when;
    const left = times === undefined || per !== undefined ? undefined : Math.max(0, times - this.#applied);
    return {
      seen: this.#seen,
      matched: this.#matched,
      applied: this.#applied,
      shadowed: this.#shadowed,
      left,
    };
  }

  get pending(): boolean {
    return this.counts().left !== 0 && !this.#isOver();
  }

  /** True the first time: each rule on time is started once. */
  adopt(): boolean {
    const fresh = !this.#adopted;
    this.#adopted = true;
    return fresh;
  }

  release(): void {
    this.#release.abort();
  }

  see(): void {
    this.#seen++;
  }

  /**
   * Counts one match and decides whether the rule acts on it (`space`, `times`, `interval` and `probability` of Linux's
   * fault injection; as there, an interval of 4 means the 4th, 8th, 12th, …). Each `key` has its own counts.
   */
  decide(key: string, conditions: () => Conditions): boolean {
    this.#matched++;
    const { after = 0, times = Number.POSITIVE_INFINITY, every, probability = 1 } = this.spec.when;
    if (!this.#isInForce(conditions)) return false;
    const counts = this.#countsOf(key);
    const position = counts.matched++ - after;
    if (position < 0 || counts.applied >= times) return false;
    if (typeof every === 'number' && (position + 1) % every !== 0) return false;
    if (probability < 1 && this.#random.next() >= probability) return false;
    counts.applied++;
    return true;
  }

  conclude(applied: boolean): void {
    if (applied) this.#applied++;
    else this.#shadowed++;
  }

  /** Draws a delay's length in milliseconds from the rule's own random numbers. */
  drawDelay(delay: Delay): number {
    return Math.max(0, delay.duration + draw(delay, this.#random));
  }

  #countsOf(key: string): { matched: number; applied: number } {
    let counts = this.#perKey.get(key);
    if (counts === undefined) {
      counts = { matched: 0, applied: 0 };
      this.#perKey.set(key, counts);
      forgetOldest(this.#perKey);
    }
    return counts;
  }

  #isInForce(conditions: () => Conditions): boolean {
    const { during, while: required } = this.spec.when;
    if (during && (this.#age() < (during.from ?? 0) || this.#isOver())) return false;
    if (required === undefined) return true;
    const present = conditions();
    return fits(required.runtime, present.runtime) && fits(required.network, present.network);
  }

  #isOver(): boolean {
    const { during } = this.spec.when;
    return during?.for !== undefined && this.#age() >= (during.from ?? 0) + during.for;
  }

  #age(): number {
    return this.#clock.elapsed() - this.#since;
  }
}

const fits = (required: 'ready' | 'not-ready' | undefined, ready: boolean): boolean =>
  required === undefined || (required === 'ready') === ready;

function draw({ duration, jitter, distribution }: Delay, random: Random): number {
  if (jitter === 0) return 0;
  if (distribution === 'uniform') return (2 * random.next() - 1) * jitter;
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  if (distribution === 'normal') return normal * jitter;
  // The spread of a lognormal whose standard deviation is near `jitter` for small ratios.
  return duration * (Math.exp((normal * jitter) / Math.max(duration, 1)) - 1);
}

export function countingKey(rule: Rule, subject: CallSubject, connection: number): string {
  const { per } = rule.spec.when;
  if (per === 'connection') return String(connection);
  if (per === 'pod') return subject.pod ? `${subject.pod.namespace}/${subject.pod.name}` : '';
  if (per === 'container') {
    return subject.container
      ? `${subject.pod?.namespace}/${subject.pod?.name}/${subject.container.name}`
      : '';
  }
  return '';
}
