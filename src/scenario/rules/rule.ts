import type { Finding } from '../../judge/finding.js';
import type { Pod } from '../../kubelet/types.js';
import type { Simulation } from '../run.js';

/** What a rule looks at. Times are seconds since the kubelet's start. */
export interface RunFacts {
  readonly run: Simulation;
  /** The pods of the scenario, also those that its timeline adds. */
  readonly pods: readonly Pod[];
  /** What is before this time does not count for rules about how soon the kubelet acts. */
  readonly from: number;
  readonly end: number;
  /** What the judge of tapes found about the kubelet; empty if the run had no tape. */
  readonly judged: readonly Finding[];
}

/** One rule that every run must keep, whatever its faults are. */
export interface RunRule {
  readonly title: string;
  /** What breaks the rule, one text for each pod, container or object. */
  readonly check: (facts: RunFacts) => Breach[];
}

/** A rule that is broken. */
export interface Breach {
  /** The pod, as `kubectl` names it; empty for the node. */
  readonly pod: string;
  /** What was expected, and what happened instead. */
  readonly message: string;
  /** The more specific rule, for `conversation`: `INV-07.exited-is-final`. */
  readonly rule?: string;
}
