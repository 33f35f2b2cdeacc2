import type { RuleView } from '../runtime/faults/matching/registry.js';

export interface FaultHandle {
  /** As in logs, the call history and the trailer `x-mockri-fault`. */
  readonly name: string;
  /** Number of matches and actions; undefined once it is removed. */
  readonly counts: RuleView | undefined;
  /** Removes the rule; calls that it blocks continue. */
  remove(): void;
}
