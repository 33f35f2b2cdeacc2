import type { Clock } from '../../base/clock/clock.js';
import type { BackOffDecision } from '../backoff/crash-loop.js';
import type { RuntimeClient } from '../client/client.js';
import type { ImageUser } from '../cri-configs/container-config.js';
import type { KubeletFiles } from '../disk/files.js';
import type { KubeObjects } from '../kube-objects.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Handler } from '../kubernetes/handler.js';
import type { Pod } from '../kubernetes/pod.js';
import type { ResourceRecord } from '../resources/resource-record.js';
import type { BackOff, ImageManager, ProbeKind, ProbeResult, Recorder, Verdict } from '../types/ports.js';
import type { KubeletVersion } from '../types/version.js';

export interface RuntimeContext {
  readonly clock: Clock;
  readonly client: RuntimeClient;
  /** Scheme of the runtime's container ids; empty before the first Version reply. */
  readonly runtimeName: () => string;
  readonly files: KubeletFiles;
  readonly objects: KubeObjects;
  /** The node's address; empty if unknown. */
  readonly hostIp: string;
  /** Used by containers without a limit. */
  readonly allocatable: Readonly<Record<string, string>>;
  readonly images: ImageManager;
  /** ImageStatus for the image's user, before every CreateContainer (kuberuntime getImageUser). */
  readonly imageUser: (container: ContainerSpec) => Promise<ImageUser>;
  readonly recorder: Recorder;
  readonly version: KubeletVersion;
  readonly crashBackOff: BackOff;
  readonly backOffDecided: ((decision: BackOffDecision) => void) | undefined;
  /** Container resources last sent to the runtime. */
  readonly actuated: ResourceRecord;
  /** Makes the next relist inspect the pod, even if nothing changed. */
  readonly reinspect: (uid: string) => void;
  readonly hashOf: (container: ContainerSpec) => string;
  readonly probeResult: (kind: ProbeKind, containerId: string) => ProbeResult | undefined;
  readonly verdict?: Verdict | undefined;
  /** Sends a hook's httpGet or opens its tcpSocket; rejects when the hook failed. */
  readonly hookRequest: HookRequest;
}

/** Without a pod IP only handlers that name a host work. Rejects when the hook failed. */
export type HookRequest = (
  handler: Handler,
  podIp: string | undefined,
  container: ContainerSpec,
  pod: Pod,
) => Promise<void>;
