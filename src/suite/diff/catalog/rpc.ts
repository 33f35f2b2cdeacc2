import type { Partially } from '../../../cri/client/client.js';
import type { ContainerConfig, PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';

/** The inputs of a request: the ids of a call's aliases on one of the two runtimes. */
export interface Target {
  /** Empty without a pod. */
  readonly podSandboxId: string;
  /** Empty without a container. */
  readonly containerId: string;
  readonly pod: Partially<PodSandboxConfig>;
  readonly container: Partially<ContainerConfig>;
  readonly image: string;
  readonly absentImage: string;
  /** Grace period of StopContainer in seconds. */
  readonly grace: bigint;
  /** Exists on the host; log files are below it. */
  readonly directory: string;
}

/** Requests by their unusual feature; the usual one has the name `''`. */
export type Forms = Readonly<Record<string, (target: Target) => object>>;

export interface Rpc {
  /** `StartContainer` */
  readonly method: string;
  /** The object that a call names. It creates a `new pod` or `new container`. */
  readonly about: 'pod' | 'container' | 'new pod' | 'new container' | 'none';
  /** Whether it changes objects, so that their states are compared after it. */
  readonly changes: boolean;
  /** Frequency relative to the other RPCs. */
  readonly weight: number;
  readonly forms: Forms;
}

export const changing = (method: string, about: Rpc['about'], weight: number, forms: Forms): Rpc => ({
  method,
  about,
  changes: true,
  weight,
  forms,
});

export const reading = (method: string, about: Rpc['about'], weight: number, forms: Forms): Rpc => ({
  method,
  about,
  changes: false,
  weight,
  forms,
});
