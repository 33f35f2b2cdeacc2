import type { Partially } from '../../../cri/client/client.js';
import type { ContainerConfig, PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';

/** What a request is made from: the ids behind the aliases of a call, on one of the two runtimes. */
export interface Target {
  /** Empty without a pod. */
  readonly podSandboxId: string;
  /** Empty without a container. */
  readonly containerId: string;
  readonly pod: Partially<PodSandboxConfig>;
  readonly container: Partially<ContainerConfig>;
  /** The image of all containers. */
  readonly image: string;
  /** An image that nobody has. */
  readonly absentImage: string;
  /** Grace period of StopContainer in seconds. */
  readonly grace: bigint;
  /** Exists on the host; log files are below it. */
  readonly directory: string;
}

/** A request by what is unusual about it; the usual one has the name `''`. */
export type Forms = Readonly<Record<string, (target: Target) => object>>;

/** How random sequences use one RPC. */
export interface Rpc {
  /** `StartContainer` */
  readonly method: string;
  /** The object that a call names. `new pod` and `new container` are made by it. */
  readonly about: 'pod' | 'container' | 'new pod' | 'new container' | 'none';
  /** Whether it changes objects, so that their states are compared after it. */
  readonly changes: boolean;
  /** How often it is chosen, relative to the others. */
  readonly weight: number;
  readonly forms: Forms;
}

/** An RPC that changes objects. */
export const changing = (method: string, about: Rpc['about'], weight: number, forms: Forms): Rpc => ({
  method,
  about,
  changes: true,
  weight,
  forms,
});

/** An RPC that only reads. */
export const reading = (method: string, about: Rpc['about'], weight: number, forms: Forms): Rpc => ({
  method,
  about,
  changes: false,
  weight,
  forms,
});
