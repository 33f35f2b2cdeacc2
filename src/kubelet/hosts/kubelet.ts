import type { KubeletOptions } from '../kubelet-options.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';

/** A pod that a kubelet runs. */
export interface NodePod {
  readonly pod: Pod;
  /** As the kubelet knows it, which the API server may not know yet; undefined before the first sync. */
  readonly status: PodApiStatus | undefined;
}

/** A kubelet process, from its start until it ends or is killed: the thin one, or a program. */
export interface NodeKubelet {
  /** Resolves when it runs. Rejects when it ends at its start, because the runtime refuses its first call. */
  start(): Promise<void>;
  /** Ends it as SIGKILL does: its pods keep running. */
  kill(): void;
  pods(): readonly NodePod[];
  /** No pod is being synced, as far as this is known. */
  readonly isIdle: boolean;
  /** Syncs all pods and collects dead containers at once, which otherwise happens within minutes. */
  syncNow(): Promise<void>;
  /** Why its sync loop counts as stuck; undefined while it makes progress. */
  health(): string | undefined;
  /** Its metrics, as Prometheus reads them; empty without any. */
  metrics(): Promise<string>;
}

/** What a kubelet tells its host. */
export interface KubeletReports
  extends Required<
    Pick<
      KubeletOptions,
      'statusSink' | 'eventSink' | 'onNode' | 'onHeartbeat' | 'onBackOff' | 'onPleg' | 'onProbe' | 'log'
    >
  > {
  /** It has ended by itself after its start. */
  readonly exited: (reason: string) => void;
}

/** Makes a kubelet for each start. */
export type KubeletKind = (reports: KubeletReports) => NodeKubelet;
