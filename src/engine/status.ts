import {
  Container,
  ContainerState,
  ContainerStatus,
  PodSandbox,
  PodSandboxState,
  PodSandboxStatus,
} from '../cri/gen/runtime/v1/api.js';
import type { ContainerRecord, ExitedPhase, SandboxRecord } from './records.js';
import { frame } from './wire.js';

/** Records as the CRI shows them, framed (see `frame`). */
export function encodeSandboxItem(record: SandboxRecord): Buffer {
  return frame(PodSandbox, {
    id: record.id,
    metadata: record.metadata,
    state: sandboxState(record),
    createdAt: record.createdAt,
    labels: record.labels,
    annotations: record.annotations,
    runtimeHandler: record.runtimeHandler,
  });
}

export function encodeContainerItem(record: ContainerRecord): Buffer {
  return frame(Container, {
    id: record.id,
    podSandboxId: record.sandbox.id,
    metadata: { name: record.name, attempt: record.attempt },
    image: record.image,
    // The id, not a digest: PullImage's image_ref, image_ref and image_id are one (INV-36).
    imageRef: record.imageId,
    state: containerState(record),
    createdAt: record.createdAt,
    labels: record.labels,
    annotations: record.annotations,
    imageId: record.imageId,
  });
}

/** The sandbox's status as a frame, kept until it changes. */
export function sandboxStatus(record: SandboxRecord): Buffer {
  record.encodings.status ??= frame(PodSandboxStatus, {
    id: record.id,
    metadata: record.metadata,
    state: sandboxState(record),
    createdAt: record.createdAt,
    network: {
      ip: record.ips[0] ?? '',
      additionalIps: record.ips.slice(1).map((ip) => ({ ip })),
    },
    linux: { namespaces: { options: record.namespaces } },
    labels: record.labels,
    annotations: record.annotations,
    runtimeHandler: record.runtimeHandler,
  });
  return record.encodings.status;
}

/** The container's status as a frame, kept until it changes. It is also the whole reply to ContainerStatus. */
export function containerStatus(record: ContainerRecord): Buffer {
  const exited: ExitedPhase | undefined = exitData(record);
  record.encodings.status ??= frame(ContainerStatus, {
    id: record.id,
    metadata: { name: record.name, attempt: record.attempt },
    state: containerState(record),
    createdAt: record.createdAt,
    startedAt: 'startedAt' in record.phase ? record.phase.startedAt : 0n,
    finishedAt: exited?.finishedAt ?? 0n,
    exitCode: exited?.exitCode ?? 0,
    image: { ...record.image, image: record.imageName },
    imageRef: record.imageRef,
    reason: exited?.reason ?? '',
    message: exited?.message ?? '',
    labels: record.labels,
    annotations: record.annotations,
    mounts: record.mounts,
    logPath: record.logPath,
    resources: record.resources,
    imageId: record.imageId,
    user: record.user,
    stopSignal: record.stopSignal,
  });
  return record.encodings.status;
}

/** containerd shows a container whose state it lost with exit code 255 and reason Unknown (helpers.go). */
function exitData({ phase }: ContainerRecord): ExitedPhase | undefined {
  if (phase.state === 'EXITED') return phase;
  if (phase.state !== 'UNKNOWN') return undefined;
  return { startedAt: phase.startedAt, finishedAt: 0n, exitCode: 255, reason: 'Unknown', message: '' };
}

function sandboxState(record: SandboxRecord): PodSandboxState {
  return record.state === 'READY' ? PodSandboxState.SANDBOX_READY : PodSandboxState.SANDBOX_NOTREADY;
}

function containerState(record: ContainerRecord): ContainerState {
  return ContainerState[`CONTAINER_${record.phase.state}`];
}
