import {
  Container,
  ContainerConfig,
  ContainerState,
  ContainerStatus,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxState,
  PodSandboxStatus,
} from '../cri/gen/runtime/v1/api.js';
import type { ContainerRuntime, ContainerSpec, SandboxSpec } from './backend.js';
import { Encodings } from './encodings.js';
import type { ContainerPhase, ContainerRecord, ExitedPhase, SandboxRecord } from './records.js';
import type { ContainerStateName, SandboxStateName } from './transitions.js';
import { encode, frame } from './wire.js';

/** Tags of the fields `state` in PodSandbox (3) and Container (6), as varints. */
const SANDBOX_STATE_TAG = 3 << 3;
const CONTAINER_STATE_TAG = 6 << 3;

const emptySandboxStatus = PodSandboxStatus.fromPartial({});
const emptyContainerStatus = ContainerStatus.fromPartial({});

export function sandboxStateNumber(state: SandboxStateName): number {
  return PodSandboxState[`SANDBOX_${state}`];
}

export function containerStateNumber(state: ContainerStateName): number {
  return ContainerState[`CONTAINER_${state}`];
}

/** All that a client will be shown of a sandbox but its state and addresses. */
export function encodeSandbox({ id, config, runtimeHandler, createdAt }: SandboxSpec): Encodings {
  const { metadata, labels, annotations } = config;
  const shared = { id, metadata, createdAt, labels, annotations, runtimeHandler, state: 0 };
  const item = frame(encode(PodSandbox, shared), Buffer.of(SANDBOX_STATE_TAG, 0));
  const options = config.linux?.securityContext?.namespaceOptions;
  const status = { ...shared, network: undefined, linux: { namespaces: { options } } };
  const rest = encode(PodSandboxConfig, { ...config, labels: {}, annotations: {} });
  return new Encodings(item, encode(PodSandboxStatus, status), rest);
}

/** All that a client will be shown of a container but its state, exit and resources. */
export function encodeContainer(spec: ContainerSpec, runtime: ContainerRuntime): Encodings {
  const { id, sandboxId, config, image, logPath = '', createdAt } = spec;
  const { metadata, labels, annotations, mounts } = config;
  const shared = { id, metadata, createdAt, labels, annotations, imageId: image.id, state: 0 };
  const item = encode(Container, {
    ...shared,
    podSandboxId: sandboxId,
    image: config.image,
    // The id, not a digest: PullImage's image_ref, image_ref and image_id are one (INV-36).
    imageRef: image.id,
  });
  const status = encode(ContainerStatus, {
    ...emptyContainerStatus,
    ...shared,
    image: config.image && { ...config.image, image: shownImage(spec) },
    imageRef: image.repoDigests[0] ?? image.id,
    mounts,
    logPath,
    user: runtime.user,
    stopSignal: runtime.stopSignal,
  });
  return new Encodings(
    frame(item, Buffer.of(CONTAINER_STATE_TAG, 0)),
    status,
    encode(ContainerConfig, { ...config, labels: {}, annotations: {}, mounts: [] }),
  );
}

/** The config as it was given. */
export function sandboxConfig({ encodings }: SandboxRecord): PodSandboxConfig {
  const { labels, annotations } = PodSandboxStatus.decode(encodings.status);
  return { ...PodSandboxConfig.decode(encodings.config), labels, annotations };
}

export function containerConfig({ encodings }: ContainerRecord): ContainerConfig {
  const { labels, annotations, mounts } = ContainerStatus.decode(encodings.status);
  return { ...ContainerConfig.decode(encodings.config), labels, annotations, mounts };
}

/** The name that a status shows: first tag, else first digest, else as in the config (containerd). */
export function shownImage({ image, config }: ContainerSpec): string {
  return image.repoTags[0] ?? image.repoDigests[0] ?? config.image?.image ?? '';
}

/** The sandbox's status, framed. */
export function sandboxStatus({ encodings, state, ips }: SandboxRecord): Buffer {
  const [ip = '', ...others] = ips;
  encodings.changing ??= encode(PodSandboxStatus, {
    ...emptySandboxStatus,
    state: sandboxStateNumber(state),
    network: { ip, additionalIps: others.map((other) => ({ ip: other })) },
  });
  return frame(encodings.status, encodings.changing);
}

/** The container's status, framed: the whole reply to ContainerStatus. */
export function containerStatus({ encodings, phase, resources }: ContainerRecord): Buffer {
  const exited = exitData(phase);
  encodings.changing ??= encode(ContainerStatus, {
    ...emptyContainerStatus,
    state: containerStateNumber(phase.state),
    startedAt: 'startedAt' in phase ? phase.startedAt : 0n,
    finishedAt: exited?.finishedAt ?? 0n,
    exitCode: exited?.exitCode ?? 0,
    reason: exited?.reason ?? '',
    message: exited?.message ?? '',
    resources,
  });
  return frame(encodings.status, encodings.changing);
}

/** containerd shows a container whose state it lost with exit code 255 and reason Unknown (helpers.go). */
function exitData(phase: ContainerPhase): ExitedPhase | undefined {
  if (phase.state === 'EXITED') return phase;
  if (phase.state !== 'UNKNOWN') return undefined;
  return { startedAt: phase.startedAt, finishedAt: 0n, exitCode: 255, reason: 'Unknown', message: '' };
}
