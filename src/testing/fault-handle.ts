import type { RuleView } from '../faults/matching/registry.js';

/** A rule that is in force. */
export interface FaultHandle {
  /** As logs, call history and the trailer `x-mockri-fault` have it. */
  readonly name: string;
  /** How often it was asked and acted; undefined once it is taken back. */
  readonly counts: RuleView | undefined;
  /** Takes it back; what it holds up goes on. */
  remove(): void;
}
