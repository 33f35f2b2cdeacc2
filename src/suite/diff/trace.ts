import type { Normal } from './normal-form.js';

export type NormalOutcome =
  | { readonly code: 'OK'; readonly reply: Normal }
  | { readonly code: string; readonly details: string };

export interface StatusTrace {
  /** `ContainerStatus` or `PodSandboxStatus` */
  readonly method: string;
  readonly of: string;
  readonly outcome: NormalOutcome;
}

export interface StepTrace {
  /** One for each call; those of concurrent calls are sorted. */
  readonly outcomes: readonly NormalOutcome[];
  readonly observations: readonly StatusTrace[];
}

export interface EventTrace {
  /** `STARTED` */
  readonly type: string;
  /** The object's state in the event, such as RUNNING; `absent` if it has none. */
  readonly state: string;
  readonly podState: string;
}

export interface Trace {
  readonly steps: readonly StepTrace[];
  /** Events by alias, until the pod's removal; undefined if another subscriber could take some. */
  readonly events: ReadonlyMap<string, readonly EventTrace[]> | undefined;
  /** Another subscriber's events, compared with the first one's; undefined without one. */
  readonly subscriber: string | undefined;
}
