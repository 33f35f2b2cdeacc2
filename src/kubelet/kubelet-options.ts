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
import type { Verdict } from './types/ports.js';
import type { PlegReport, PodIdentity, ProbeReport } from './types/reports.js';
import type { KubeletVersion } from './types/version.js';

/** How to treat pods in the runtime that the kubelet was never asked to run. */
export interface OrphanedPods {
  /** Leaves them alone. Default false. */
  readonly keep?: boolean;
  readonly onStop?: (pod: PodIdentity) => void;
}

/** All time comes from `clock` and all randomness from `random`: equal inputs give equal runs. */
export interface KubeletOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  /** Where probes and hooks connect: the simulated pod network, or this machine's. */
  readonly network: Network;
  readonly random: Random;
  readonly version: KubeletVersion;
  readonly config: KubeletConfig;
  readonly podSource: PodSource;
  readonly files: KubeletFiles;
  /** The node's address, which pods with host network have. Default: unknown. */
  readonly hostIp?: string | undefined;
  /** Default: none. */
  readonly objects?: KubeObjects | undefined;
  /** The node's resources. Default: unknown. */
  readonly allocatable?: Readonly<Record<string, string>> | undefined;
  /** Node properties for admission. Default: the node admits every pod. */
  readonly node?: (() => AdmittingNode) | undefined;
  /** What the node remembers of its pods' resources across kubelet restarts. Default: nothing. */
  readonly checkpoints?: ResizeCheckpoints | undefined;
  /** What the node remembers of pulled images across kubelet restarts. Default: nothing. */
  readonly pullRecords?: PullRecords | undefined;
  /** Default: all probes and hooks run. */
  readonly verdict?: Verdict | undefined;
  readonly metrics: PlegMetrics;
  readonly statusSink?: StatusSink;
  readonly eventSink?: EventSink;
  readonly onBackOff?: (decision: BackOffDecision) => void;
  readonly onProbe?: (report: ProbeReport) => void;
  /** Called for each relist, and when the PLEG's health or mode changes. */
  readonly onPleg?: (report: PlegReport) => void;
  readonly onNode?: (ready: NodeReady) => void;
  /** Orphaned pods are those in the runtime that no manifest names. Default: stop and remove them, like the kubelet. */
  readonly orphanedPods?: OrphanedPods;
  /** Called when the kubelet sends the node's status, or renews its lease (undefined). */
  readonly onHeartbeat?: (report: NodeReady | undefined) => void;
  readonly log?: (message: string) => void;
}
