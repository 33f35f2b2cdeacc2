import type { FaultInput } from '../../../src/runtime/faults/language/rule-schema.js';

export interface CaseContainer {
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface CaseSpec {
  readonly initContainers?: readonly CaseContainer[];
  readonly containers: readonly CaseContainer[];
  readonly [field: string]: unknown;
}

/** A pod, its containers' behaviors, and the faults of its calls. */
export interface PodCase {
  readonly name: string;
  readonly spec: CaseSpec;
  /** By container, in the scenarios' syntax. */
  readonly behaviors: Readonly<Record<string, string>>;
  /** Rules without a pod. */
  readonly faults: readonly FaultInput[];
  /** When the pod is deleted, in seconds after its start. */
  readonly removedAt?: number | undefined;
}

/** All its containers, init containers first. */
export const containersOf = ({ spec }: PodCase): readonly CaseContainer[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];
