import {
  type Container,
  type ContainerEventResponse,
  ContainerState,
  type ContainerStatus,
  type ContainerStatusResponse,
  type PodSandbox,
  PodSandboxState,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
} from '../../cri/gen/runtime/v1/api.js';
import type { Metadata } from '../../cri/subject.js';
import type { Message } from '../message.js';
import { itemsOf } from './list-joiner.js';

export const sandboxName = (metadata: Metadata | undefined): string =>
  metadata === undefined
    ? ''
    : `${metadata.namespace}/${metadata.name} (uid ${metadata.uid}) attempt ${metadata.attempt}`;

export const containerName = (metadata: Metadata | undefined): string =>
  metadata === undefined ? '' : `${metadata.name} attempt ${metadata.attempt}`;

/** Names of the states 0 to 2, which an object passes through in this order. A sandbox has no state 1. */
export const stateNames = {
  sandbox: ['ready', 'ready', 'notready'],
  container: ['created', 'running', 'exited'],
} as const;

/** Names of the types of container events, in the order in which the events of one object come. */
export const eventNames: readonly EventName[] = ['CREATED', 'STARTED', 'STOPPED', 'DELETED'];
export type EventName = 'CREATED' | 'STARTED' | 'STOPPED' | 'DELETED';

/** A sandbox or container in a list, a status or an event. */
export type Shown = {
  readonly id: string;
  /** The sandbox of a container, or an empty text, because a container's status doesn't name it. */
  readonly sandboxId: string;
  /** Index into `stateNames`; NaN for an unknown state, from which nothing follows. */
  readonly state: number;
} & (
  | { readonly kind: 'sandbox'; readonly seen: PodSandbox | PodSandboxStatus }
  | { readonly kind: 'container'; readonly seen: Container | ContainerStatus }
);

const sandbox = (seen: PodSandbox | PodSandboxStatus): Shown => ({
  id: seen.id,
  sandboxId: seen.id,
  kind: 'sandbox',
  state: seen.state === PodSandboxState.SANDBOX_READY ? 0 : 2,
  seen,
});

export const shownContainer = (seen: Container | ContainerStatus, sandboxId: string): Shown => ({
  id: seen.id,
  sandboxId,
  kind: 'container',
  state: seen.state === ContainerState.CONTAINER_UNKNOWN ? Number.NaN : seen.state,
  seen,
});

type Reader = (reply: object) => readonly Shown[];

const readers: Readonly<Record<string, Reader>> = {
  ListPodSandbox: (reply) => itemsOf<PodSandbox>(reply).map(sandbox),
  ListContainers: (reply) => itemsOf<Container>(reply).map((each) => shownContainer(each, each.podSandboxId)),
  PodSandboxStatus: (reply) => {
    const { status } = reply as PodSandboxStatusResponse;
    return status ? [sandbox(status)] : [];
  },
  ContainerStatus: (reply) => {
    const { status } = reply as ContainerStatusResponse;
    return status ? [shownContainer(status, '')] : [];
  },
  GetContainerEvents: (reply) => {
    const { podSandboxStatus: status, containersStatuses } = reply as ContainerEventResponse;
    const containers = containersStatuses.map((each) => shownContainer(each, status?.id ?? ''));
    return status ? [sandbox(status), ...containers] : containers;
  },
};

/** Every sandbox and container that a reply or an event shows. Decodes only messages that can show one. */
export const shownIn = (method: string, message: Pick<Message, 'value'>): readonly Shown[] =>
  readers[method]?.(message.value()) ?? [];

export const nameOf = ({ kind, seen }: Shown): string =>
  kind === 'sandbox' ? sandboxName(seen.metadata) : containerName(seen.metadata);

/** A filter that matches everything (INV-19.empty). */
export function isEmptyFilter(filter: object | undefined): boolean {
  return Object.values(filter ?? {}).every(
    (value) =>
      value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0),
  );
}
