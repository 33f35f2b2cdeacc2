import type { Conditions } from './rule.js';
import type { ContainerFacts, Directory } from './subject.js';

/** What the actions on the runtime as a whole, its containers and its connections need. */
export interface FaultHost extends Directory {
  conditions(): Conditions;
  /** Containers that run now. */
  runningContainers(): Iterable<ContainerFacts>;
  /** Ends a running container as if its process had ended so. */
  exitContainer(
    containerId: string,
    exit: { readonly exitCode: number; readonly reason?: string | undefined },
  ): void;
  /** Overrides a condition that Status reports; undefined takes the override back. */
  overrideCondition(type: 'RuntimeReady' | 'NetworkReady', override: ConditionOverride | undefined): void;
  /** Shifts the time that the runtime stamps its objects and events with, in ms. */
  skewClock(by: number): void;
  /** Takes the socket away with all its connections, and brings it back after `downFor` ms, the state kept or lost. */
  restart(options: { readonly downFor: number; readonly state: 'keep' | 'lose' }): Promise<void>;
  /** Breaks every connection that is open. */
  disconnectAll(how: 'reset' | 'goaway'): void;
}

export interface ConditionOverride {
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}
