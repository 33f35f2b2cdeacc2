import type { ImageConfig } from '../../cri/container-process.js';
import type { ContainerSpec, SandboxRuntime, SandboxSpec } from '../engine/backend.js';
import type { Container, PodSandbox } from './gen/nri/v1alpha1/api.js';

type Fields<Message extends { fromPartial(fields: never): unknown }> = Parameters<Message['fromPartial']>[0];

/** Pods and containers as a runtime shows them to plugins. */
export interface PluginView {
  pod(spec: SandboxSpec, runtime: SandboxRuntime, pid: number): Fields<typeof PodSandbox>;
  /** A pod that is stopped; `isOver` once plugins have learned that. */
  stoppedPod(pod: PodSandbox, isOver: boolean): PodSandbox;
  /** A container that is about to be made, with the annotations of its OCI spec. */
  container(spec: ContainerSpec, pod: PodSandbox, image: ImageConfig): Fields<typeof Container>;
}

/** What plugins can fail, also by devices that are not there. */
export type Refusable =
  | 'runPodSandbox'
  | 'updatePodSandbox'
  | 'stopPodSandbox'
  | 'createContainer'
  | 'clientDevices'
  | 'pluginDevices'
  | 'startContainer'
  | 'updateContainer';

/**
 * What node resource plugins see and can do where runtimes differ from each other: the named points at which a runtime
 * profile changes it (src/runtime/profiles).
 */
export interface NriRules {
  readonly view: PluginView;
  /** The version of NRI that Configure names; empty if it names none. */
  readonly version: string;
  /** Whether each event has its own request, as since NRI 0.12; else most events are StateChange. */
  readonly singleEvents: boolean;
  /** Whether a plugin's synchronization waits until no operation of a client is under way, and the other way round. */
  readonly exclusiveSync: boolean;
  /** The beginning of the answer to a client, in front of the error, by what has failed. */
  refusal(what: Refusable, id: string): string;
  /** Whether a plugin's error fails StartContainer. */
  readonly failsStart: boolean;
  /** Whether a plugin's error fails StopPodSandbox. */
  readonly failsStop: boolean;
  /** Whether plugins learn the stop of a pod that is removed without one. */
  readonly tellsStopOfRemoved: boolean;
  /** The error for updates of containers that have failed. */
  readonly updateFailure: string;
  /** Whether a request fails when an update of another container fails that a plugin has asked for in it. */
  readonly failsOnUpdates: boolean;
  /** Whether plugins learn the end of a container whose creation one of them has refused. */
  readonly tellsOfRefused: boolean;
  /** Whether a client's annotations are in the OCI spec; else plugins see the client's own values after each change. */
  readonly annotationsInSpec: boolean;
  /** Whether a container that has ended is shown as such, with the id of its process, also when it is removed. */
  readonly showsEnded: boolean;
  /** Whether PostStartContainer shows that the container runs. */
  readonly showsStart: boolean;
  /** Whether the seccomp policy that plugins set is shown to them later. */
  readonly showsSeccomp: boolean;
  /** Whether limits of huge pages that plugins set are in the OCI spec. */
  readonly hugePages: boolean;
}
