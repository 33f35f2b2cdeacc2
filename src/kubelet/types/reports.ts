import type { ProbeKind } from './ports.js';

/** What tells a pod from all others, and its name. */
export interface PodIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

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
  /** A relist, a change of its health, a stream of events that connects, or the end of the evented PLEG. */
  readonly state: 'relist' | 'healthy' | 'unhealthy' | 'evented' | 'generic';
  /** Why it is unhealthy. */
  readonly text?: string;
  /** Duration of a relist. */
  readonly seconds?: number;
}
