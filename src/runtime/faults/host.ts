import type { ContainerFacts, ObjectLookup } from '../../cri/subject.js';
import type { Action } from './language/actions.js';
import type { Trigger } from './language/trigger.js';
import type { Conditions } from './matching/rule.js';

export interface FaultHost extends ObjectLookup {
  conditions(): Conditions;
  runningContainers(): Iterable<ContainerFacts>;
  exitContainer(
    containerId: string,
    exit: { readonly exitCode: number; readonly reason?: string | undefined },
  ): void;
  /** Overrides a condition that Status reports; undefined removes the override. */
  overrideCondition(type: 'RuntimeReady' | 'NetworkReady', override: ConditionOverride | undefined): void;
  /** Shifts the time that the runtime stamps its objects and events with, in ms. */
  skewClock(by: number): void;
  /** Removes the socket with all its connections, and restores it after `downFor` ms or when the rule is removed. */
  restart(options: RestartOptions): Promise<void>;
  disconnectAll(how: 'reset' | 'goaway'): void;
  /** Suspends the streams of exec, attach and port-forward until then. */
  holdStreams(until: Promise<unknown>): void;
  /** Returns why this host can't do an action (undefined: a delay alone). Default: it can do all. */
  lacks?(action: Action | undefined, trigger: Trigger, hasDelay: boolean): string | undefined;
}

export interface FaultTarget extends Omit<FaultHost, 'restart' | 'disconnectAll' | 'holdStreams'> {
  loseState(): Promise<void>;
}

/** `downFor` is in ms. */
export interface RestartOptions {
  readonly downFor: number;
  readonly state: 'keep' | 'lose';
  readonly released?: AbortSignal | undefined;
}

/** What Status reports of a condition instead of the truth. */
export interface ConditionOverride {
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}
