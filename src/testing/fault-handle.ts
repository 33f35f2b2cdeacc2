import type { RuleView } from '../runtime/faults/matching/registry.js';

/** A rule that is in force. */
export interface FaultHandle {
  /** As logs, call history and the trailer `x-mockri-fault` have it. */
  readonly name: string;
  /** How often it was asked and acted; undefined once it is removed. */
  readonly counts: RuleView | undefined;
  /** Removes it; calls that it holds up continue. */
  remove(): void;
}
