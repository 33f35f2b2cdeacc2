import type { ContainerResources, PodSandboxMetadata } from '../../../cri/gen/runtime/v1/api.js';
import type { ContainerExit, SandboxLimits } from '../backend.js';
import type { Encodings } from './encodings.js';
import type { SandboxStateName } from './state-names.js';

type Labels = { readonly [key: string]: string };

/** The engine's state of a sandbox: common fields decoded, the rest in wire form. Only the store changes it. */
export interface SandboxRecord {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly labels: Labels;
  readonly runtimeHandler: string;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
  readonly logDirectory: string;
  readonly privileged: boolean;
  readonly hostNetwork: boolean;
  /** Whether it has a PID namespace that its containers can share. */
  readonly sharesPids: boolean;
  readonly containers: readonly ContainerRecord[];
  readonly encodings: Encodings;
  readonly state: SandboxStateName;
  /** Empty once stopped. */
  readonly ips: readonly string[];
  /** Limits as of the last UpdatePodSandboxResources. */
  readonly resources: SandboxLimits | undefined;
}

export interface ContainerRecord {
  readonly id: string;
  readonly sandbox: SandboxRecord;
  readonly name: string;
  readonly attempt: number;
  /** The name that it holds until it is removed, with `namesInPod`. */
  readonly heldName: string | undefined;
  /** Why its config prevents its start. */
  readonly startFault: string | undefined;
  readonly labels: Labels;
  /** The image as its status shows it. */
  readonly image: string;
  readonly tty: boolean;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
  readonly encodings: Encodings;
  readonly resources: ContainerResources | undefined;
  readonly phase: ContainerPhase;
}

/** Unix nanoseconds; `startedAt` of an exited container is 0 when it could not be started. */
export type ContainerPhase =
  | { readonly state: 'CREATED' }
  /** StartContainer is running: clients still see CREATED. `exit` is set if the process has already ended. */
  | { readonly state: 'CREATED'; readonly starting: true; readonly exit?: ContainerExit }
  /** It could not be started, which only its status shows. */
  | { readonly state: 'CREATED'; readonly failed: ExitedPhase }
  | { readonly state: 'RUNNING'; readonly startedAt: bigint }
  | ({ readonly state: 'EXITED' } & ExitedPhase)
  | { readonly state: 'UNKNOWN'; readonly startedAt: bigint };

/** How a container ended. Times are Unix nanoseconds; `startedAt` is 0 if its process never ran. */
export interface ExitedPhase {
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
}
