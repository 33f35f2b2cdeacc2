import {
  type ContainerFilter,
  ContainerState,
  type PodSandboxFilter,
  PodSandboxState,
} from '../../../cri/gen/runtime/v1/api.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import type { Collection, Store } from '../state/store.js';

/** Fields of a filter combine with AND; an id may be a unique prefix; an unknown id matches nothing (INV-19). */
export function selectSandboxes(
  store: Store,
  filter: Partial<PodSandboxFilter> | undefined,
): Iterable<SandboxRecord> {
  const { id = '', state, labelSelector = {} } = filter ?? {};
  const wanted = Object.entries(labelSelector);
  if (id === '' && state === undefined && wanted.length === 0) return store.sandboxes.values();
  return [...candidates(store.sandboxes, id)].filter(
    (record) =>
      (state === undefined || PodSandboxState[`SANDBOX_${record.state}`] === state.state) &&
      hasLabels(record.labels, wanted),
  );
}

/** Like the filter of sandboxes; the sandbox's id may be a unique prefix too. */
export function selectContainers(
  store: Store,
  filter: Partial<ContainerFilter> | undefined,
): Iterable<ContainerRecord> {
  const { id = '', podSandboxId = '', state, labelSelector = {} } = filter ?? {};
  const wanted = Object.entries(labelSelector);
  if (id === '' && podSandboxId === '' && state === undefined && wanted.length === 0)
    return store.containers.values();
  const sandbox = podSandboxId === '' ? undefined : store.sandboxes.match(podSandboxId);
  if (podSandboxId !== '' && sandbox === undefined) return [];
  const found = id === '' && sandbox !== undefined ? sandbox.containers : candidates(store.containers, id);
  return [...found].filter(
    (record) =>
      (sandbox === undefined || record.sandbox === sandbox) &&
      (state === undefined || ContainerState[`CONTAINER_${record.phase.state}`] === state.state) &&
      hasLabels(record.labels, wanted),
  );
}

function candidates<T extends SandboxRecord | ContainerRecord>(
  collection: Collection<T>,
  id: string,
): Iterable<T> {
  if (id === '') return collection.values();
  const record = collection.match(id);
  return record === undefined ? [] : [record];
}

function hasLabels(labels: Readonly<Record<string, string>>, wanted: readonly [string, string][]): boolean {
  return wanted.every(([key, value]) => labels[key] === value);
}
