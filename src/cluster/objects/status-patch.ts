import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { PodApiStatus, PodStatusJson } from '../../kubelet/kubernetes/pod-status.js';
import { type StatusView, statusJson } from '../../kubelet/kubernetes/status-json.js';
import { toClusterAddress } from './pod-address.js';

export const statusToApi = (pod: Pod, status: PodApiStatus, view: StatusView): PodStatusJson =>
  // JSON omits undefined fields.
  JSON.parse(JSON.stringify(statusJson(pod, status, { ...view, shownIp: toClusterAddress })));

/** Conditions that the kubelet sets; it leaves all others alone (pkg/kubelet/types/pod_status.go). */
const OWN: ReadonlySet<string> = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodResizeInProgress',
  'PodResizePending',
  'PodReadyToStartContainers',
  'AllContainersRestarting',
]);

const OF_OTHERS: ReadonlySet<string> = new Set([
  'nominatedNodeName',
  'resourceClaimStatuses',
  'extendedResourceClaimStatus',
  'resize',
]);

/** The status for the API: the kubelet's, with conditions and fields of others (mergePodStatus). */
export function mergeStatus(old: PodStatusJson, made: PodStatusJson): PodStatusJson {
  const ofOthers = (old.conditions ?? []).filter(({ type }) => !OWN.has(type));
  const own = (made.conditions ?? []).filter(({ type }) => OWN.has(type));
  const kept = Object.entries(old).filter(([field]) => OF_OTHERS.has(field));
  return { ...made, ...Object.fromEntries(kept), conditions: [...ofOthers, ...own] };
}

type Patch = Record<string, unknown>;

/**
 * Strategic merge patch between two statuses (strategicpatch.CreateTwoWayMergePatch with the schema of v1.PodStatus):
 * conditions merge by `type`, addresses by `ip`, other lists are replaced. Undefined if they are equal.
 */
export function statusPatch(old: PodStatusJson, made: PodStatusJson): Patch | undefined {
  const patch: Patch = {};
  const before: Readonly<Record<string, unknown>> = { ...old };
  const after: Readonly<Record<string, unknown>> = { ...made };
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[field], after[field]];
    if (isDeepStrictEqual(was, is)) continue;
    const key = MERGED[field];
    if (key === undefined || is === undefined) patch[field] = is ?? null;
    else mergeList(patch, field, key, (was ?? []) as Item[], is as Item[]);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

const MERGED: Readonly<Record<string, string>> = { conditions: 'type', podIPs: 'ip', hostIPs: 'ip' };

type Item = Readonly<Record<string, unknown>>;

function mergeList(
  patch: Patch,
  field: string,
  key: string,
  old: readonly Item[],
  made: readonly Item[],
): void {
  const before = new Map(old.map((item) => [item[key], item]));
  const after = new Set(made.map((item) => item[key]));
  const changed = made.flatMap((item) => {
    const was = before.get(item[key]);
    if (was === undefined) return [item];
    const difference = fieldsThatChanged(was, item);
    return difference === undefined ? [] : [{ ...difference, [key]: item[key] }];
  });
  const gone = old.filter((item) => !after.has(item[key]));
  const items = [...changed, ...gone.map((item) => ({ $patch: 'delete', [key]: item[key] }))];
  // The order alone is not a difference: the server may keep another one.
  if (items.length === 0) return;
  patch[`$setElementOrder/${field}`] = made.map((item) => ({ [key]: item[key] }));
  patch[field] = items;
}

function fieldsThatChanged(old: Item, made: Item): Item | undefined {
  const fields = [...new Set([...Object.keys(old), ...Object.keys(made)])].filter(
    (field) => !isDeepStrictEqual(old[field] ?? null, made[field] ?? null),
  );
  if (fields.length === 0) return undefined;
  return Object.fromEntries(fields.map((field) => [field, made[field] ?? null]));
}
