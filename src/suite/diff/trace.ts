import type { Normal } from './normal-form.js';

/** How a call ended, in normal form. */
export type NormalOutcome =
  | { readonly code: 'OK'; readonly reply: Normal }
  | { readonly code: string; readonly details: string };

/** A state that was looked up after a step. */
export interface Observation {
  /** `ContainerStatus` or `PodSandboxStatus` */
  readonly method: string;
  /** Alias of the object. */
  readonly of: string;
  readonly outcome: NormalOutcome;
}

/** What one step showed. */
export interface StepTrace {
  /** One for each call; those of simultaneous calls are sorted. */
  readonly outcomes: readonly NormalOutcome[];
  readonly observations: readonly Observation[];
}

/** An event in normal form. */
export interface EventTrace {
  /** `STARTED` */
  readonly type: string;
  /** What the event says about the state of the object, such as RUNNING; `absent` if nothing. */
  readonly state: string;
  readonly podState: string;
}

/** What a sequence showed on one runtime. */
export interface Trace {
  readonly steps: readonly StepTrace[];
  /** Events by alias, from the first call to the removal of the pod; undefined where another subscriber could get some. */
  readonly events: ReadonlyMap<string, readonly EventTrace[]> | undefined;
  /** What another subscriber got, compared with the first; undefined without one. */
  readonly subscriber: string | undefined;
}
