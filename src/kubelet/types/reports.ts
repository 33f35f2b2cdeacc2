import type { ProbeKind } from './ports.js';

export interface PodIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export type NodeProblem =
  | 'pleg-starting'
  | 'pleg-unhealthy'
  | 'runtime-unchecked'
  | 'runtime-down'
  | 'runtime-not-ready'
  | 'network-not-ready'
  | 'network-unknown';

/** `text` is in the kubelet's words. */
export interface Problem {
  readonly what: NodeProblem;
  readonly text: string;
}

/** Go's error aggregate: several errors are a list in brackets. */
export const problemsText = (errors: readonly Problem[]): string => {
  const texts = errors.map(({ text }) => text);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
};

export interface ProbeReport {
  readonly pod: PodIdentity;
  readonly container: string;
  readonly kind: ProbeKind;
  /** `unknown`: the probe could not run. */
  readonly outcome: 'success' | 'warning' | 'failure' | 'unknown';
  readonly output: string;
}

export interface PlegReport {
  /**
   * `relist`: one has finished. `starting`, `healthy`, `unhealthy`: its health changed. `evented`: an event stream
   * connected. `stream-failed`: one ended. `generic`: it stopped using events after such failures. `fast-path-off`: it
   * no longer checks immediately after a container ends. `list-failed`: a relist got no list. `discarded`: its channel
   * was full and an event was lost.
   */
  readonly state:
    | 'relist'
    | 'starting'
    | 'healthy'
    | 'unhealthy'
    | 'evented'
    | 'stream-failed'
    | 'generic'
    | 'fast-path-off'
    | 'list-failed'
    | 'discarded';
  /** Why it is unhealthy, or the error. */
  readonly text?: string | undefined;
  readonly seconds?: number;
}
