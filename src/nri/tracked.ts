import type { ContainerConfig } from '../cri/gen/runtime/v1/api.js';
import { type Container, ContainerState, PodSandbox } from './gen/nri/v1alpha1/api.js';

/** What plugins know of a pod. */
export interface TrackedPod {
  pod: PodSandbox;
  isStopped: boolean;
}

/** What plugins know of a container. */
export interface TrackedContainer {
  container: Container;
  /** Those of its OCI spec; plugins see the client's as well. */
  readonly annotations: Readonly<Record<string, string>>;
  /** As the backend has it; undefined if no plugin has changed it. */
  readonly config: ContainerConfig | undefined;
  /** Which plugin has set what, by field. */
  readonly owners: Readonly<Record<string, unknown>>;
  isStarting: boolean;
  /** StopContainer was sent, or is no more to be sent. */
  isStopped: boolean;
}

/** Pods and containers as plugins see them. */
export class Tracked {
  readonly pods = new Map<string, TrackedPod>();
  readonly containers = new Map<string, TrackedContainer>();

  /** The pod of a container; one that is gone has its id only. */
  podOf({ podSandboxId: id }: Container): PodSandbox {
    return this.pods.get(id)?.pod ?? PodSandbox.fromPartial({ id });
  }

  /** Those that Synchronize shows. */
  living(): Container[] {
    return [...this.containers.values()]
      .map(({ container }) => container)
      .filter(({ state }) => state !== ContainerState.CONTAINER_STOPPED);
  }
}
