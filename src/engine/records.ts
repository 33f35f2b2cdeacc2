import type {
  ContainerResources,
  ContainerUser,
  ImageSpec,
  LinuxContainerResources,
  Mount,
  NamespaceOption,
  PodSandboxMetadata,
  Signal,
} from '../cri/gen/runtime/v1/api.js';
import type { ContainerExit } from './backend.js';
import type { SandboxStateName } from './transitions.js';

type Labels = { readonly [key: string]: string };

/** What the engine knows of a sandbox. The store changes it; everybody else reads. */
export interface SandboxRecord {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly runtimeHandler: string;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
  readonly logDirectory: string;
  readonly privileged: boolean;
  readonly namespaces: NamespaceOption | undefined;
  /** PodSandboxConfig in its wire form, which takes a fraction of the memory. */
  readonly config: Uint8Array;
  readonly containers: ContainerRecord[];
  state: SandboxStateName;
  /** Empty once stopped. */
  ips: readonly string[];
  /** As of the last UpdatePodSandboxResources. */
  resources: SandboxResources | undefined;
  readonly encodings: Encodings;
}

export interface SandboxResources {
  readonly overhead: LinuxContainerResources | undefined;
  readonly resources: LinuxContainerResources | undefined;
}

export interface ContainerRecord {
  readonly id: string;
  readonly sandbox: SandboxRecord;
  readonly name: string;
  readonly attempt: number;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** As in the config. */
  readonly image: ImageSpec;
  readonly imageId: string;
  /** The name that a status shows: first tag, else first digest, else as in the config (containerd). */
  readonly imageName: string;
  readonly imageRef: string;
  readonly mounts: Mount[];
  readonly logPath: string;
  readonly tty: boolean;
  readonly user: ContainerUser | undefined;
  readonly stopSignal: Signal;
  readonly createdAt: bigint;
  /** ContainerConfig in its wire form. */
  readonly config: Uint8Array;
  resources: ContainerResources | undefined;
  phase: ContainerPhase;
  readonly encodings: Encodings;
}

/** Unix nanoseconds; `startedAt` of an exited container is 0 when it could not be started. */
export type ContainerPhase =
  | { readonly state: 'CREATED' }
  /** StartContainer is under way: seen from outside still CREATED. A process that ends at once leaves its exit here. */
  | { readonly state: 'CREATED'; readonly starting: true; exit?: ContainerExit }
  | { readonly state: 'RUNNING'; readonly startedAt: bigint }
  | ({ readonly state: 'EXITED' } & ExitedPhase)
  | { readonly state: 'UNKNOWN'; readonly startedAt: bigint };

export interface ExitedPhase {
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
}

/** Wire forms, each framed as field 1 of a reply; made when first needed, dropped when the object changes. */
export interface Encodings {
  item: Buffer | undefined;
  status: Buffer | undefined;
}
