import { type Deviation, type DeviationProfile, deviationFor } from '../deviations/deviation.js';
import { lengthOf, type Sequence } from '../diff/steps.js';
import type { Broken } from './pod-run.js';

export interface BrokenKind {
  readonly rule: string;
  readonly message: string;
  /** The calls of the pod up to the violation; undefined if it concerns no pod of the load. */
  readonly plan: Sequence | undefined;
  /** Pods that broke it. */
  readonly count: number;
  /** Set if the profile expects it. */
  readonly deviation: Deviation | undefined;
}

export class BrokenKinds {
  readonly #kinds = new Map<string, BrokenKind>();
  readonly #profile: DeviationProfile;
  readonly #version: string;

  constructor(profile: DeviationProfile, version: string) {
    this.#profile = profile;
    this.#version = version;
  }

  get list(): readonly BrokenKind[] {
    return [...this.#kinds.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1));
  }

  get unexpected(): readonly BrokenKind[] {
    return this.list.filter(({ deviation }) => deviation === undefined);
  }

  of(rule: string): BrokenKind | undefined {
    return this.#kinds.get(rule);
  }

  add({ rule, message, step }: Broken, plan: Sequence | undefined): void {
    const before = this.#kinds.get(rule);
    const deviation = before?.deviation ?? deviationFor(this.#profile, rule, this.#version);
    const count = (before?.count ?? 0) + 1;
    this.#kinds.set(rule, {
      ...shorterOf(before, message, plan?.slice(0, step + 1)),
      rule,
      count,
      deviation,
    });
  }

  shorten(rule: string, { message, step }: Broken, plan: Sequence): void {
    const before = this.#kinds.get(rule);
    if (before !== undefined)
      this.#kinds.set(rule, { ...before, ...shorterOf(before, message, plan.slice(0, step + 1)) });
  }
}

type Shown = Pick<BrokenKind, 'message' | 'plan'>;

function shorterOf(before: Shown | undefined, message: string, plan: Sequence | undefined): Shown {
  if (before === undefined) return { message, plan };
  const { plan: known } = before;
  const isShorter = plan !== undefined && (known === undefined || lengthOf(plan) < lengthOf(known));
  return isShorter ? { message, plan } : { message: before.message, plan: known };
}
