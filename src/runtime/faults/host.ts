import type { ContainerFacts, ObjectLookup } from '../../cri/subject.js';
import type { Action } from './language/actions.js';
import type { Trigger } from './language/trigger.js';
import type { Conditions } from './matching/rule.js';

/** What the actions on the runtime as a whole, its containers and its connections need. */
export interface FaultHost extends ObjectLookup {
  conditions(): Conditions;
  /** Containers that run now. */
  runningContainers(): Iterable<ContainerFacts>;
  /** Ends a running container as if its process had ended so. */
  exitContainer(
    containerId: string,
    exit: { readonly exitCode: number; readonly reason?: string | undefined },
  ): void;
  /** Overrides a condition that Status reports; undefined removes the override. */
  overrideCondition(type: 'RuntimeReady' | 'NetworkReady', override: ConditionOverride | undefined): void;
  /** Shifts the time that the runtime stamps its objects and events with, in ms. */
  skewClock(by: number): void;
  /**
   * Takes the socket away with all its connections, and brings it back after `downFor` ms, the state kept or lost;
   * at once when the rule is removed.
   */
  restart(options: RestartOptions): Promise<void>;
  /** Breaks every connection that is open. */
  disconnectAll(how: 'reset' | 'goaway'): void;
  /** Why this host can't carry an action (undefined: a delay alone) out; undefined if it can. Default: it can do all. */
  lacks?(action: Action | undefined, trigger: Trigger, hasDelay: boolean): string | undefined;
}

/** A runtime as fault rules see and change it: a `FaultHost` without the server, which the target does not know. */
export interface FaultTarget extends Omit<FaultHost, 'restart' | 'disconnectAll'> {
  /** Ends and forgets all pods. */
  loseState(): Promise<void>;
}

/** How the runtime goes away; `downFor` is in ms. */
export interface RestartOptions {
  readonly downFor: number;
  readonly state: 'keep' | 'lose';
  /** Aborts when the rule is removed. */
  readonly released?: AbortSignal | undefined;
}

/** What Status is to say of a condition instead of the truth. */
export interface ConditionOverride {
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}
