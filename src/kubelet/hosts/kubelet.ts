import type { KubeletOptions } from '../kubelet-options.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';

export interface NodePod {
  readonly pod: Pod;
  /** As the kubelet knows it, possibly ahead of the API server; undefined before the first sync. */
  readonly status: PodApiStatus | undefined;
}

/** A kubelet from its start until it exits or is killed: the thin kubelet or a program. */
export interface NodeKubelet {
  /** Resolves when it runs. Rejects when it exits because the runtime fails its first call. */
  start(): Promise<void>;
  /** Kills it like SIGKILL: its pods keep running. */
  kill(): void;
  pods(): readonly NodePod[];
  readonly isIdle: boolean;
  /** Syncs all pods and collects dead containers now instead of within minutes. */
  syncNow(): Promise<void>;
  /** Why its sync loop counts as stuck; undefined while it makes progress. */
  health(): string | undefined;
  /** Prometheus text; empty without metrics. */
  metrics(): Promise<string>;
}

export interface KubeletReports
  extends Required<
    Pick<
      KubeletOptions,
      'statusSink' | 'eventSink' | 'onNode' | 'onHeartbeat' | 'onBackOff' | 'onPleg' | 'onProbe' | 'log'
    >
  > {
  readonly exited: (reason: string) => void;
}

export type KubeletKind = (reports: KubeletReports) => NodeKubelet;
