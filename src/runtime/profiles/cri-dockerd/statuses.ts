import {
  type Container,
  ContainerState,
  type ContainerStatus,
  Mount,
  NamespaceMode,
  type PodSandbox,
  type PodSandboxStatus,
} from '../../../cri/gen/runtime/v1/api.js';
import { NEVER } from '../../../cri/never.js';

const SECOND = 1_000_000_000n;

/** Times in lists are Docker's, in seconds. */
const inSeconds = (time: bigint): bigint => (time / SECOND) * SECOND;

export const listedContainer = (container: Container): Container => ({
  ...container,
  createdAt: inSeconds(container.createdAt),
});

export const listedSandbox = (sandbox: PodSandbox): PodSandbox => ({
  ...sandbox,
  createdAt: inSeconds(sandbox.createdAt),
  runtimeHandler: '',
});

/** With the image in a form that Docker can pull, and times that never happened. */
export function shownStatus(status: ContainerStatus): ContainerStatus {
  return {
    ...status,
    ...shownTimes(status),
    imageRef: `docker-pullable://${status.imageRef}`,
    mounts: status.mounts.map(shownMount),
  };
}

function shownTimes({ state, reason, createdAt, startedAt, finishedAt }: ContainerStatus) {
  if (state === ContainerState.CONTAINER_EXITED && reason === 'ContainerCannotRun')
    return { startedAt: createdAt, finishedAt: createdAt };
  return { startedAt: startedAt || NEVER, finishedAt: finishedAt || NEVER };
}

const shownMount = ({ hostPath, containerPath, readonly, propagation }: Mount): Mount =>
  Mount.fromPartial({ hostPath, containerPath, readonly, propagation });

/** Namespaces as in Docker: a pause container has its own PID namespace. */
export function shownSandbox({ linux, ...status }: PodSandboxStatus): PodSandboxStatus {
  const { network, pid, ipc } = linux?.namespaces?.options ?? {};
  const options = {
    network: nodeOr(network, NamespaceMode.POD),
    pid: nodeOr(pid, NamespaceMode.CONTAINER),
    ipc: nodeOr(ipc, NamespaceMode.POD),
    targetId: '',
    usernsOptions: undefined,
  };
  return { ...status, runtimeHandler: '', linux: { namespaces: { options } } };
}

const nodeOr = (mode: NamespaceMode | undefined, other: NamespaceMode): NamespaceMode =>
  mode === NamespaceMode.NODE ? mode : other;
