import type { ImageConfig } from '../../cri/container-process.js';
import type { ContainerSpec, SandboxRuntime, SandboxSpec } from '../engine/backend.js';
import type { Container, PodSandbox } from './gen/nri/v1alpha1/api.js';

type Fields<Message extends { fromPartial(fields: never): unknown }> = Parameters<Message['fromPartial']>[0];

export interface PluginView {
  pod(spec: SandboxSpec, runtime: SandboxRuntime, pid: number): Fields<typeof PodSandbox>;
  /** A stopped pod; `isOver` once plugins have been notified. */
  stoppedPod(pod: PodSandbox, isOver: boolean): PodSandbox;
  /** A container before its creation, with the annotations of its OCI spec. */
  container(spec: ContainerSpec, pod: PodSandbox, image: ImageConfig): Fields<typeof Container>;
}

/** Operations that plugins can fail; missing CDI devices also fail them. */
export type Refusable =
  | 'runPodSandbox'
  | 'updatePodSandbox'
  | 'stopPodSandbox'
  | 'createContainer'
  | 'clientDevices'
  | 'pluginDevices'
  | 'startContainer'
  | 'updateContainer';

/** The plugins' view and rights where runtimes differ: the settings of runtime profiles (src/runtime/profiles). */
export interface NriRules {
  readonly view: PluginView;
  /** The NRI version in Configure; may be empty. */
  readonly version: string;
  /** Whether each event has its own request, as since NRI 0.12; otherwise most events are StateChange. */
  readonly singleEvents: boolean;
  /** Whether a plugin's synchronization waits until no client operation is running, and vice versa. */
  readonly exclusiveSync: boolean;
  refusal(what: Refusable, id: string): string;
  /** Whether a plugin's error fails StartContainer. */
  readonly failsStart: boolean;
  /** Whether a plugin's error fails StopPodSandbox. */
  readonly failsStop: boolean;
  /** Whether plugins are notified of the stop when a running pod is removed. */
  readonly tellsStopOfRemoved: boolean;
  readonly updateFailure: string;
  /** Whether a request fails when a plugin's update of another container in it fails. */
  readonly failsOnUpdates: boolean;
  /** Whether plugins are notified of the end of a container whose creation one of them has refused. */
  readonly tellsOfRefused: boolean;
  /** Whether the OCI spec has the client's annotations; otherwise plugins see its own values after each change. */
  readonly annotationsInSpec: boolean;
  /** Whether an ended container is shown as ended, with its PID, also when it is removed. */
  readonly showsEnded: boolean;
  /** Whether PostStartContainer shows the container as running. */
  readonly showsStart: boolean;
  /** Whether plugins later see the seccomp policy that they set. */
  readonly showsSeccomp: boolean;
  /** Whether the OCI spec has the huge page limits that plugins set. */
  readonly hugePages: boolean;
}
