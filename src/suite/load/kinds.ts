import { type Deviation, type DeviationProfile, deviationFor } from '../deviations/deviation.js';
import { lengthOf, type Sequence } from '../diff/steps.js';
import type { Broken } from './pod-run.js';

/** A rule that was broken, with the shortest plan of a pod that has shown it. */
export interface BrokenKind {
  readonly rule: string;
  readonly message: string;
  /** The calls of the pod up to where it showed; undefined for what belongs to no pod of the load. */
  readonly plan: Sequence | undefined;
  /** How many pods have shown it. */
  readonly count: number;
  /** Set if the profile expects it. */
  readonly deviation: Deviation | undefined;
}

/** The rules that were broken, each once. */
export class BrokenKinds {
  readonly #kinds = new Map<string, BrokenKind>();
  readonly #profile: DeviationProfile;
  readonly #version: string;

  constructor(profile: DeviationProfile, version: string) {
    this.#profile = profile;
    this.#version = version;
  }

  /** In the order of their rules. */
  get list(): readonly BrokenKind[] {
    return [...this.#kinds.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1));
  }

  /** Those that the profile does not expect. */
  get unexpected(): readonly BrokenKind[] {
    return this.list.filter(({ deviation }) => deviation === undefined);
  }

  of(rule: string): BrokenKind | undefined {
    return this.#kinds.get(rule);
  }

  /** Takes in what a pod of the load has shown. */
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

  /** Takes in a shorter plan that was made on purpose. */
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
