import { forgetOldest } from '../../../base/input/forget-oldest.js';
import {
  Container,
  ContainerConfig,
  ContainerState,
  ContainerStatus,
  ImageSpec,
  type Mount,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxState,
  PodSandboxStatus,
} from '../../../cri/gen/runtime/v1/api.js';
import type { ContainerRuntime, ContainerSpec, SandboxSpec } from '../backend.js';
import type { EngineRules } from '../rules.js';
import { Encodings } from './encodings.js';
import { encode, frame, renumber } from './protobuf-splice.js';
import type { ContainerPhase, ContainerRecord, ExitedPhase, SandboxRecord } from './records.js';
import type { ContainerStateName, SandboxStateName } from './state-names.js';

/** Tags of the fields `state` in PodSandbox (3) and Container (6), as varints. */
const SANDBOX_STATE_TAG = 3 << 3;
const CONTAINER_STATE_TAG = 6 << 3;

/** Field numbers in statuses for the list items' fields that have the same meaning there and never change. */
const SANDBOX_STATUS_NUMBERS = new Map([
  [1, 1], // id
  [2, 2], // metadata
  [4, 4], // created_at
  [5, 7], // labels
  [6, 8], // annotations
  [7, 9], // runtime_handler
]);
const CONTAINER_STATUS_NUMBERS = new Map([
  [1, 1], // id
  [3, 2], // metadata
  [7, 4], // created_at
  [8, 12], // labels
  [9, 13], // annotations
  [10, 17], // image_id
]);

const emptySandboxStatus = PodSandboxStatus.fromPartial({});
const emptyContainerStatus = ContainerStatus.fromPartial({});

export function sandboxStateNumber(state: SandboxStateName): number {
  return PodSandboxState[`SANDBOX_${state}`];
}

export function containerStateNumber(state: ContainerStateName): number {
  return ContainerState[`CONTAINER_${state}`];
}

/** Encodes everything of a sandbox that clients see but its state and addresses. */
export function encodeSandbox({ id, config, runtimeHandler, createdAt }: SandboxSpec): Encodings {
  const { metadata, labels, annotations } = config;
  const item = encode(PodSandbox, { id, metadata, createdAt, labels, annotations, runtimeHandler, state: 0 });
  const options = config.linux?.securityContext?.namespaceOptions;
  return new Encodings(
    frame(item, Buffer.of(SANDBOX_STATE_TAG, 0)),
    encode(PodSandboxStatus, { ...emptySandboxStatus, linux: { namespaces: { options } } }),
    encode(PodSandboxConfig, { ...config, metadata: undefined, labels: {}, annotations: {} }),
  );
}

/**
 * Encodes what clients see of a container but its state, exit and resources. `shownSince`: created_at in its status.
 */
export function encodeContainer(
  spec: ContainerSpec,
  runtime: ContainerRuntime,
  rules: Pick<EngineRules, 'wholeImages' | 'imageIds' | 'bareImageIds' | 'stopSignals' | 'users'>,
  shownSince: bigint,
): Encodings {
  const { id, sandboxId, config, image, logPath = '', createdAt } = spec;
  const { metadata, labels, annotations } = config;
  const { imageIds, bareImageIds, stopSignals, users } = rules;
  const imageId = bareImageIds ? image.id.replace('sha256:', '') : image.id;
  const digest = image.repoDigests[0] ?? image.id;
  const named = rules.wholeImages ? config.image : config.image && ImageSpec.fromPartial({});
  const item = encode(Container, {
    id,
    podSandboxId: sandboxId,
    metadata,
    image: config.image,
    // By default the id, not a digest: PullImage's image_ref, image_ref and image_id are equal (INV-36).
    imageRef: bareImageIds ? digest : image.id,
    state: 0,
    createdAt,
    labels,
    annotations,
    imageId: imageIds ? imageId : '',
  });
  const status = encode(ContainerStatus, {
    ...emptyContainerStatus,
    image: named && { ...named, image: shownImage(spec) },
    imageRef: digest,
    // It follows the list's value: protobuf takes the last one.
    createdAt: shownSince === createdAt ? 0n : shownSince,
    mounts: config.mounts,
    logPath,
    user: users ? runtime.user : undefined,
    stopSignal: stopSignals ? runtime.stopSignal : emptyContainerStatus.stopSignal,
  });
  const rest = { ...config, metadata: undefined, image: undefined, labels: {}, annotations: {}, mounts: [] };
  return new Encodings(frame(item, Buffer.of(CONTAINER_STATE_TAG, 0)), status, encode(ContainerConfig, rest));
}

/** Callers must not change a config: they share the object. */
export const sandboxConfig = (record: SandboxRecord): PodSandboxConfig => decodedSandbox(record.encodings);

export const containerConfig = (record: ContainerRecord): ContainerConfig =>
  decodedContainer(record.encodings);

const decodedSandbox = remembered((encodings): PodSandboxConfig => {
  const { metadata, labels, annotations } = PodSandbox.decode(encodings.item);
  return { ...PodSandboxConfig.decode(encodings.config), metadata, labels, annotations };
});

const decodedContainer = remembered((encodings): ContainerConfig => {
  const { metadata, image, labels, annotations } = Container.decode(encodings.item);
  const mounts = ContainerStatus.decode(encodings.status).mounts.map(withoutImageRef);
  return { ...ContainerConfig.decode(encodings.config), metadata, image, labels, annotations, mounts };
});

/** Keeps the last decoded value: one call requests the same config up to ten times. */
function remembered<T>(decode: (encodings: Encodings) => T): (encodings: Encodings) => T {
  const last = new Map<Encodings, T>();
  return (encodings) => {
    const known = last.get(encodings);
    if (known !== undefined) return known;
    const value = decode(encodings);
    // A config may have megabytes, and its encodings may be gone already.
    if (encodings.size < MOST_REMEMBERED) last.set(encodings, value);
    forgetOldest(last, RECENT);
    return value;
  };
}

const RECENT = 32;
const MOST_REMEMBERED = 10_000;

/** Only a status shows the resolved reference of an image. */
const withoutImageRef = (mount: Mount): Mount =>
  mount.image === undefined ? mount : { ...mount, image: { ...mount.image, imageRef: '' } };

/** The name in a status: first tag, otherwise first digest, otherwise the config's (containerd). */
export function shownImage({ image, config }: ContainerSpec): string {
  return image.repoTags[0] ?? image.repoDigests[0] ?? config.image?.image ?? '';
}

export function sandboxStatus({ encodings, state, ips }: SandboxRecord): Buffer {
  const [ip = '', ...others] = ips;
  encodings.changing ??= encode(PodSandboxStatus, {
    ...emptySandboxStatus,
    state: sandboxStateNumber(state),
    network: { ip, additionalIps: others.map((other) => ({ ip: other })) },
  });
  return frame(renumber(encodings.item, SANDBOX_STATUS_NUMBERS), encodings.status, encodings.changing);
}

export function containerStatus({ encodings, phase, resources }: ContainerRecord): Buffer {
  const exited = exitData(phase);
  encodings.changing ??= encode(ContainerStatus, {
    ...emptyContainerStatus,
    state: containerStateNumber('failed' in phase ? 'EXITED' : phase.state),
    startedAt: 'startedAt' in phase ? phase.startedAt : 0n,
    finishedAt: exited?.finishedAt ?? 0n,
    exitCode: exited?.exitCode ?? 0,
    reason: exited?.reason ?? '',
    message: exited?.message ?? '',
    resources,
  });
  return frame(renumber(encodings.item, CONTAINER_STATUS_NUMBERS), encodings.status, encodings.changing);
}

/** containerd shows a container with a lost state as exited with code 255 and reason Unknown (helpers.go). */
export function exitData(phase: ContainerPhase): ExitedPhase | undefined {
  if (phase.state === 'EXITED') return phase;
  if ('failed' in phase) return phase.failed;
  if (phase.state !== 'UNKNOWN') return undefined;
  return { startedAt: phase.startedAt, finishedAt: 0n, exitCode: 255, reason: 'Unknown', message: '' };
}
