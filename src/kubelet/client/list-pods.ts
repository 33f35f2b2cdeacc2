import {
  type Container,
  ContainerState,
  type PodSandbox,
  PodSandboxState,
} from '../../cri/gen/runtime/v1/api.js';
import type { PodIdentity } from '../types/reports.js';
import type { RuntimeContainerState } from '../types/runtime-status.js';
import type { RuntimeClient } from './client.js';
import { POD_NAME, POD_NAMESPACE, POD_UID } from './labels.js';

/** kubecontainer.Pod. */
export interface ListedPod extends PodIdentity {
  readonly sandboxes: readonly ListedSandbox[];
  readonly containers: readonly ListedContainer[];
}

/** The fields that the PLEG compares. */
export interface ListedSandbox {
  readonly id: string;
  readonly ready: boolean;
  readonly attempt: number;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
}

/** The fields that the PLEG compares. */
export interface ListedContainer {
  readonly id: string;
  readonly name: string;
  readonly state: RuntimeContainerState;
  /** Unix nanoseconds. */
  readonly createdAt: bigint;
  readonly podSandboxId: string;
}

/** `running`: ready sandboxes and running containers; `uid`: one pod. */
export type PodSelection = 'all' | 'running' | { readonly uid: string };

/** Before 1.36 the kubelet keeps the order of the runtime's list (kuberuntime_manager.go GetPods). */
export type ContainerOrder = 'as listed' | 'newest first';

/** Reuses the last result while the client returns the identical lists. */
export function createPodLister(
  client: RuntimeClient,
  order: ContainerOrder,
): () => Promise<Map<string, ListedPod>> {
  let last: { sandboxes: unknown; containers: unknown; pods: Map<string, ListedPod> } | undefined;
  return async () => {
    const sandboxes = await client.listSandboxes();
    const containers = await client.listContainers();
    if (last?.sandboxes !== sandboxes || last.containers !== containers) {
      last = { sandboxes, containers, pods: groupByPod(sandboxes, containers, order) };
    }
    return last.pods;
  };
}

export async function listPods(
  client: RuntimeClient,
  selection: PodSelection,
): Promise<Map<string, ListedPod>> {
  const sandboxes = await client.listSandboxes(sandboxFilter(selection));
  const containers = await client.listContainers(containerFilter(selection));
  return groupByPod(sandboxes, containers);
}

const sandboxFilter = (selection: PodSelection) => {
  if (selection === 'all') return {};
  if (selection === 'running') return { state: { state: PodSandboxState.SANDBOX_READY } };
  return { labelSelector: { [POD_UID]: selection.uid } };
};

const containerFilter = (selection: PodSelection) => {
  if (selection === 'all') return {};
  if (selection === 'running') return { state: { state: ContainerState.CONTAINER_RUNNING } };
  return { labelSelector: { [POD_UID]: selection.uid } };
};

interface Draft extends ListedPod {
  readonly sandboxes: ListedSandbox[];
  readonly containers: ListedContainer[];
}

/**
 * getPods (kuberuntime_manager.go): groups sandboxes by the uid in their metadata, newest first, and containers by
 * their uid label. Objects of other clients form pods too; containers without the label belong to pod "".
 */
export function groupByPod(
  sandboxes: readonly PodSandbox[],
  containers: readonly Container[],
  order: ContainerOrder = 'newest first',
): Map<string, ListedPod> {
  const pods = new Map<string, Draft>();
  const podOf = (uid: string, name = '', namespace = ''): Draft => {
    let pod = pods.get(uid);
    if (pod === undefined) {
      pod = { uid, name, namespace, sandboxes: [], containers: [] };
      pods.set(uid, pod);
    }
    return pod;
  };
  for (const sandbox of sandboxes) {
    const { metadata } = sandbox;
    if (metadata === undefined) continue;
    podOf(metadata.uid, metadata.name, metadata.namespace).sandboxes.push({
      id: sandbox.id,
      ready: sandbox.state === PodSandboxState.SANDBOX_READY,
      attempt: metadata.attempt,
      createdAt: sandbox.createdAt,
    });
  }
  for (const container of containers) {
    const { labels, metadata } = container;
    if (metadata === undefined) continue;
    podOf(labels[POD_UID] ?? '', labels[POD_NAME], labels[POD_NAMESPACE]).containers.push({
      id: container.id,
      name: metadata.name,
      state: stateOf(container.state),
      createdAt: container.createdAt,
      podSandboxId: container.podSandboxId,
    });
  }
  for (const pod of pods.values()) {
    pod.sandboxes.sort(newestSandboxFirst);
    if (order === 'newest first') pod.containers.sort(newestFirst);
  }
  return pods;
}

/** kuberuntime/helpers.go: highest attempt first, then newest, then by id. */
export function newestSandboxFirst(
  a: { readonly attempt: number; readonly createdAt: bigint; readonly id: string },
  b: { readonly attempt: number; readonly createdAt: bigint; readonly id: string },
): number {
  return b.attempt - a.attempt || newestFirst(a, b);
}

/** For `sort`: by creation time, then by id (containerByCreatedThenID; unspecified before 1.36). */
export function newestFirst(
  a: { readonly createdAt: bigint; readonly id: string },
  b: { readonly createdAt: bigint; readonly id: string },
): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** toKubeContainerState (kuberuntime/helpers.go). */
export function stateOf(state: ContainerState): RuntimeContainerState {
  switch (state) {
    case ContainerState.CONTAINER_CREATED:
      return 'created';
    case ContainerState.CONTAINER_RUNNING:
      return 'running';
    case ContainerState.CONTAINER_EXITED:
      return 'exited';
    default:
      return 'unknown';
  }
}
