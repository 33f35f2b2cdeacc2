import type { Clock } from '../base/clock/clock.js';
import type { Network } from '../base/network/network.js';
import type { Random } from '../base/random/random.js';
import type { CriClient } from '../cri/client/client.js';
import type { AdmittingNode } from './admission/admitting-node.js';
import type { BackOffDecision } from './backoff/crash-loop.js';
import type { KubeletConfig } from './config/kubelet-configuration.js';
import type { KubeletFiles } from './disk/files.js';
import type { PullRecords } from './images/pull-records.js';
import type { KubeObjects } from './kube-objects.js';
import type { NodeReady } from './node/node-status.js';
import type { PlegMetrics } from './pleg/metrics.js';
import type { EventSink, PodSource, StatusSink } from './pod-ports.js';
import type { ResizeCheckpoints } from './resources/resource-record.js';
import type { PlegReport, ProbeReport } from './types/reports.js';
import type { KubeletVersion } from './types/version.js';

/** What a kubelet does with pods that it finds in the runtime and that it was never asked to run. */
export interface OrphanedPods {
  /** Leaves them and everything they consist of alone. Default false. */
  readonly keep?: boolean;
  /** Called before such a pod is stopped. */
  readonly onStop?: (pod: {
    readonly uid: string;
    readonly name: string;
    readonly namespace: string;
  }) => void;
}

/**
 * Dependencies of a kubelet. It takes all time from `clock` and all randomness from `random`: equal inputs give equal
 * runs.
 */
export interface KubeletOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  /** Where probes and hooks connect: the network of simulated pods, or this machine's. */
  readonly network: Network;
  readonly random: Random;
  readonly version: KubeletVersion;
  readonly config: KubeletConfig;
  readonly podSource: PodSource;
  readonly files: KubeletFiles;
  /** The node's address, which pods with host network have. Default: none is known. */
  readonly hostIp?: string | undefined;
  /** ConfigMaps and Secrets. Default: there are none. */
  readonly objects?: KubeObjects | undefined;
  /** The node's resources. Default: none are known. */
  readonly allocatable?: Readonly<Record<string, string>> | undefined;
  /** The node that decides which pods it takes. Default: it takes all. */
  readonly node?: (() => AdmittingNode) | undefined;
  /** What the node remembers of its pods' resources while the kubelet is restarted. Default: nothing. */
  readonly checkpoints?: ResizeCheckpoints | undefined;
  /** What it remembers of pulled images meanwhile. Default: nothing. */
  readonly pullRecords?: PullRecords | undefined;
  readonly metrics: PlegMetrics;
  readonly statusSink?: StatusSink;
  readonly eventSink?: EventSink;
  /** Called for each back-off decision before a container start. */
  readonly onBackOff?: (decision: BackOffDecision) => void;
  /** Called after each run of a probe. */
  readonly onProbe?: (report: ProbeReport) => void;
  /** Called with what the PLEG does: each relist, and changes of its health and way. */
  readonly onPleg?: (report: PlegReport) => void;
  readonly onNode?: (ready: NodeReady) => void;
  /**
   * What to do with orphaned pods: those in the runtime that no manifest names. Default: stop and remove them, as the
   * kubelet does.
   */
  readonly orphanedPods?: OrphanedPods;
  /** The kubelet sends the node's status, or renews its lease (undefined). */
  readonly onHeartbeat?: (report: NodeReady | undefined) => void;
  readonly log?: (message: string) => void;
}
