import { ContainerConfig, Image, PodSandboxConfig } from '../../src/cri/gen/runtime/v1/api.js';
import type { ContainerSpec, SandboxSpec } from '../../src/runtime/engine/backend.js';

/** Everything with this label belongs to Mockri: nothing else is ever listed, stopped or removed. */
export const KIND = 'dev.mockri.kind';
const ID = 'dev.mockri.id';
const SANDBOX = 'dev.mockri.sandbox';
const CREATED = 'dev.mockri.created';
const HANDLER = 'dev.mockri.handler';
const CONFIG = 'dev.mockri.config';
const POD_CONFIG = 'dev.mockri.sandbox-config';
const IMAGE = 'dev.mockri.image';
const LOG = 'dev.mockri.log';
const USER = 'dev.mockri.user';
const STATUS_USER = 'dev.mockri.status-user';
const STOP_SIGNAL = 'dev.mockri.stop-signal';

type Labels = Readonly<Record<string, string>>;

/** A `probe` is a container that is only created to read the files of an image. */
export type Kind = 'sandbox' | 'container' | 'probe';

export interface Identity {
  readonly kind: Kind;
  readonly id: string;
  /** For a sandbox, its own id. */
  readonly sandboxId: string;
}

/** A probe has no spec: leftover probes are removed. */
export const probeLabels = (id: string): Labels => ({ [KIND]: 'probe', [ID]: id });

/** Containers are found by this name, so that no table of Docker's ids is needed. */
export const dockerName = (id: string): string => `mockri-${id}`;

/** The complete spec, and the pod's labels unchanged for `docker ps --filter label=…`. */
export function sandboxLabels({ id, config, runtimeHandler, createdAt }: SandboxSpec): Labels {
  return {
    ...config.labels,
    [KIND]: 'sandbox',
    [ID]: id,
    [SANDBOX]: id,
    [CREATED]: String(createdAt),
    [HANDLER]: runtimeHandler,
    [CONFIG]: pack(PodSandboxConfig, config),
  };
}

export interface ContainerFacts {
  /** Docker's value; empty for the image's default. */
  readonly user: string;
  /** For ContainerStatus: `uid:gid:group,group`. */
  readonly statusUser: string;
  readonly stopSignal: number;
}

/** Like `sandboxLabels`. Only Docker stores them, so a new server finds everything. */
export function containerLabels(
  spec: ContainerSpec,
  { user, statusUser, stopSignal }: ContainerFacts,
): Labels {
  return {
    ...spec.config.labels,
    [KIND]: 'container',
    [ID]: spec.id,
    [SANDBOX]: spec.sandboxId,
    [CREATED]: String(spec.createdAt),
    [CONFIG]: pack(ContainerConfig, spec.config),
    [POD_CONFIG]: pack(PodSandboxConfig, spec.sandboxConfig),
    [IMAGE]: pack(Image, spec.image),
    ...(spec.logPath === undefined ? {} : { [LOG]: spec.logPath }),
    [USER]: user,
    [STATUS_USER]: statusUser,
    [STOP_SIGNAL]: String(stopSignal),
  };
}

/** Undefined for other containers. */
export function identify(labels: Labels | undefined): Identity | undefined {
  const kind = labels?.[KIND];
  if (kind !== 'sandbox' && kind !== 'container' && kind !== 'probe') return undefined;
  return { kind, id: labels?.[ID] ?? '', sandboxId: labels?.[SANDBOX] ?? '' };
}

export function readSandboxSpec(labels: Labels): SandboxSpec {
  return {
    id: labels[ID] ?? '',
    config: unpack(PodSandboxConfig, labels[CONFIG]),
    runtimeHandler: labels[HANDLER] ?? '',
    createdAt: BigInt(labels[CREATED] ?? 0),
  };
}

export function readContainerSpec(labels: Labels): { spec: ContainerSpec; facts: ContainerFacts } {
  return {
    spec: {
      id: labels[ID] ?? '',
      sandboxId: labels[SANDBOX] ?? '',
      config: unpack(ContainerConfig, labels[CONFIG]),
      sandboxConfig: unpack(PodSandboxConfig, labels[POD_CONFIG]),
      image: unpack(Image, labels[IMAGE]),
      logPath: labels[LOG],
      createdAt: BigInt(labels[CREATED] ?? 0),
    },
    facts: {
      user: labels[USER] ?? '',
      statusUser: labels[STATUS_USER] ?? '',
      stopSignal: Number(labels[STOP_SIGNAL] ?? 0),
    },
  };
}

interface Codec<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

const pack = <T>(codec: Codec<T>, message: T): string =>
  Buffer.from(codec.encode(message).finish()).toString('base64');
const unpack = <T>(codec: Codec<T>, text = ''): T => codec.decode(Buffer.from(text, 'base64'));
