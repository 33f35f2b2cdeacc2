import type { Clock } from '../../clock/clock.js';
import type { BackOffDecision } from '../backoff/crash-loop.js';
import type {
  BackOff,
  ContainerSpec,
  Handler,
  ImageManager,
  Pod,
  ProbeKind,
  ProbeResult,
  Recorder,
  VersionProfile,
} from '../types.js';
import type { RuntimeClient } from './client.js';
import type { KubeletFiles } from './files.js';

/** Whom an image's containers run as: a number, or a name that only the image knows. */
export type ImageUser = { readonly uid: bigint } | { readonly username: string };

/** What the functions that act on the runtime share (kuberuntime's manager). */
export interface RuntimeContext {
  readonly clock: Clock;
  readonly client: RuntimeClient;
  /** Scheme of the ids of its containers; empty before it was asked. */
  readonly runtimeName: () => string;
  readonly files: KubeletFiles;
  readonly images: ImageManager;
  /** ImageStatus for the image's user, which precedes every CreateContainer (kuberuntime getImageUser). */
  readonly imageUser: (container: ContainerSpec) => Promise<ImageUser>;
  readonly recorder: Recorder;
  readonly profile: VersionProfile;
  readonly crashBackOff: BackOff;
  /** Told what the back-off decides before each start. */
  readonly backOffDecided: ((decision: BackOffDecision) => void) | undefined;
  readonly hashOf: (container: ContainerSpec) => string;
  readonly probeResult: (kind: ProbeKind, containerId: string) => ProbeResult | undefined;
  /** Sends a hook's httpGet or opens its tcpSocket; rejects when the hook failed. */
  readonly hookRequest: HookRequest;
}

/** Without a pod IP nothing can be dialled unless the handler names a host. Rejects when the hook failed. */
export type HookRequest = (
  handler: Handler,
  podIp: string | undefined,
  container: ContainerSpec,
  pod: Pod,
) => Promise<void>;
