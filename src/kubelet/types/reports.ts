import type { ProbeKind } from './ports.js';

/** What tells a pod from all others, and its name. */
export interface PodIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** What keeps a kubelet from being ready. */
export type NodeProblem =
  | 'pleg-starting'
  | 'pleg-unhealthy'
  | 'runtime-unchecked'
  | 'runtime-down'
  | 'runtime-not-ready'
  | 'network-not-ready'
  | 'network-unknown';

/** A problem, and the kubelet's words for it. */
export interface Problem {
  readonly what: NodeProblem;
  readonly text: string;
}

/** The text of Go's error aggregate: several are a list in brackets. */
export const problemsText = (errors: readonly Problem[]): string => {
  const texts = errors.map(({ text }) => text);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
};

/** One run of a probe, as a recording of the kubelet keeps it. */
export interface ProbeReport {
  readonly pod: PodIdentity;
  readonly container: string;
  readonly kind: ProbeKind;
  /** `unknown` when the probe could not run. */
  readonly outcome: 'success' | 'warning' | 'failure' | 'unknown';
  readonly output: string;
}

/** What the PLEG does, as a recording of the kubelet keeps it. */
export interface PlegReport {
  /**
   * `relist`: one is over. `starting`, `healthy`, `unhealthy`: its health has changed. `evented`: a stream of events
   * connects. `stream-failed`: one ended. `generic`: after such failures it uses events no longer. `fast-path-off`: it
   * looks no longer at once after a container ends. `list-failed`: a relist got no list. `discarded`: its channel was
   * full, and an event is lost.
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
  /** Duration of a relist. */
  readonly seconds?: number;
}
