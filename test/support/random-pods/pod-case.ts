import type { FaultInput } from '../../../src/runtime/faults/language/rule-schema.js';

/** A container of a manifest. */
export interface CaseContainer {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** The specification of a manifest. */
export interface CaseSpec {
  readonly initContainers?: readonly CaseContainer[];
  readonly containers: readonly CaseContainer[];
  readonly [field: string]: unknown;
}

/** A pod, what its containers do, and what goes wrong with the calls about it. */
export interface PodCase {
  readonly name: string;
  readonly spec: CaseSpec;
  /** By container, as scenarios say them. */
  readonly behaviors: Readonly<Record<string, string>>;
  /** Rules without a pod. */
  readonly faults: readonly FaultInput[];
  /** When the pod is deleted, in seconds after it came. */
  readonly removedAt?: number | undefined;
}

/** All its containers, those that initialize first. */
export const containersOf = ({ spec }: PodCase): readonly CaseContainer[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];
