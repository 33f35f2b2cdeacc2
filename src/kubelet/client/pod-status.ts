import { isIP } from 'node:net';
import {
  type ContainerStatus,
  PodSandboxState,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
} from '../../cri/gen/runtime/v1/api.js';
import type { KubeletFiles } from '../disk/files.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import type { KubeletVersion } from '../types/version.js';
import type { RuntimeClient } from './client.js';
import { isNotFound } from './errors.js';
import { CONTAINER_NAME, readNotes } from './labels.js';
import { type ListedPod, newestFirst, stateOf } from './list-pods.js';

export interface PodStatusOptions {
  readonly client: RuntimeClient;
  readonly files: KubeletFiles;
  /** With EventedPLEG: use the containers in the sandbox's reply if it has a timestamp. */
  readonly believeSandboxAnswer: boolean;
  /** Reads that nanosecond timestamp as seconds (up to 1.31, kubernetes #127195). */
  readonly readsSeconds: boolean;
}

export const inspectionOf = (
  client: RuntimeClient,
  files: KubeletFiles,
  { gates, evented }: KubeletVersion,
): PodStatusOptions => ({
  client,
  files,
  believeSandboxAnswer: gates.EventedPLEG,
  readsSeconds: evented === 'A-seconds',
});

/**
 * GetPodStatus: calls PodSandboxStatus for every sandbox and ContainerStatus for every container. Skips objects removed
 * in the meantime; any other error fails the whole pod.
 */
export async function getPodStatus(
  pod: ListedPod,
  timestamp: bigint,
  options: PodStatusOptions,
): Promise<RuntimePodStatus> {
  const { client, files, believeSandboxAnswer, readsSeconds } = options;
  const sandboxes: PodSandboxStatus[] = [];
  let ips: readonly string[] = [];
  let active: string | undefined;
  let answered: PodSandboxStatusResponse | undefined;
  let containers: RuntimeContainerStatus[] = [];
  for (const [index, { id }] of pod.sandboxes.entries()) {
    const reply = await orGone(client.sandboxStatus(id));
    if (reply === undefined) continue;
    if (reply.status === undefined) throw new Error('pod sandbox status is nil');
    sandboxes.push(reply.status);
    if (index > 0) continue;
    if (reply.status.state === PodSandboxState.SANDBOX_READY) {
      ips = ipsOfSandbox(reply.status);
      active = id;
    }
    if (!believeSandboxAnswer) continue;
    if (reply.timestamp === 0n) containers = await inspectContainers(pod, active, options);
    else answered = reply;
  }
  if (!believeSandboxAnswer) containers = await inspectContainers(pod, active, options);
  for (const status of answered?.containersStatuses ?? []) {
    containers.push(await toRuntimeStatus(status, false, files));
  }
  return {
    uid: pod.uid,
    name: pod.name,
    namespace: pod.namespace,
    ips,
    sandboxes,
    containers,
    timestamp: answered === undefined ? timestamp : answered.timestamp * (readsSeconds ? 1_000_000_000n : 1n),
  };
}

/** getPodContainerStatuses (kuberuntime_container.go). `active` is the ready sandbox. */
async function inspectContainers(
  { containers }: ListedPod,
  active: string | undefined,
  { client, files }: PodStatusOptions,
): Promise<RuntimeContainerStatus[]> {
  const statuses: RuntimeContainerStatus[] = [];
  for (const { id, podSandboxId } of containers) {
    const status = await orGone(client.containerStatus(id));
    if (status !== undefined) statuses.push(await toRuntimeStatus(status, podSandboxId === active, files));
  }
  return statuses.sort(newestFirst);
}

/** determinePodSandboxIPs (kuberuntime_sandbox.go): the primary address first; none if any is invalid. */
export function ipsOfSandbox({ network }: PodSandboxStatus): readonly string[] {
  if (network === undefined) return [];
  const additional = network.additionalIps.map(({ ip }) => ip);
  const ips = network.ip === '' ? additional : [network.ip, ...additional];
  return ips.every((ip) => isIP(ip) !== 0) ? ips : [];
}

/** sortPodIPs (kubelet_pods.go): the first IPv4 and IPv6 address, as on a node without a configured address. */
export function sortPodIps(ips: readonly string[]): readonly string[] {
  return [4, 6].flatMap((family) => ips.find((ip) => isIP(ip) === family) ?? []);
}

/** kuberuntime_container.go toKubeContainerStatus, including the termination message of an exited container. */
export async function toRuntimeStatus(
  status: ContainerStatus,
  active: boolean,
  files: KubeletFiles,
): Promise<RuntimeContainerStatus> {
  const notes = readNotes(status.annotations);
  const state = stateOf(status.state);
  const message = state === 'exited' ? await terminationMessage(status, files) : '';
  return {
    id: status.id,
    name: status.labels[CONTAINER_NAME] ?? status.metadata?.name ?? '',
    state,
    createdAt: status.createdAt,
    startedAt: status.startedAt,
    finishedAt: status.finishedAt,
    exitCode: status.exitCode,
    reason: status.reason,
    message,
    image: status.image?.image ?? '',
    imageRef: status.imageRef,
    hash: notes.hash,
    restartCount: notes.restartCount,
    user: userOf(status),
    resources: resourcesOf(status),
    active,
  };
}

/** toKubeContainerUser (kuberuntime/convert.go). */
function userOf({ user }: ContainerStatus): RuntimeContainerStatus['user'] {
  const linux = user?.linux;
  if (linux === undefined) return undefined;
  const { uid, gid, supplementalGroups } = linux;
  return { uid: Number(uid), gid: Number(gid), supplementalGroups: supplementalGroups.map(Number) };
}

/** toKubeContainerResources (kuberuntime_container_linux.go); conversions of cm/helpers_linux.go. */
function resourcesOf({ resources }: ContainerStatus): RuntimeContainerStatus['resources'] {
  const linux = resources?.linux;
  if (linux === undefined) return undefined;
  const [quota, period, shares] = [linux.cpuQuota, linux.cpuPeriod, linux.cpuShares].map(Number);
  const limit = period && quota && quota > 0 ? Math.floor((quota * 1000) / period) : 0;
  const request = shares && shares >= 2 ? Math.ceil((shares * 1000) / 1024) : 0;
  const memory = Number(linux.memoryLimitInBytes);
  if (limit <= 0 && request <= 0 && memory <= 0) return undefined;
  return {
    ...(limit > 0 && { cpuLimit: limit }),
    ...(request > 0 && { cpuRequest: request }),
    ...(memory > 0 && { memoryLimit: memory }),
  };
}

/** The file at terminationMessagePath; if it is empty and the policy is FallbackToLogsOnError, the log's tail. */
async function terminationMessage(status: ContainerStatus, files: KubeletFiles): Promise<string> {
  const notes = readNotes(status.annotations);
  const path = notes.terminationMessagePath;
  const mount = path === '' ? undefined : status.mounts.find((each) => each.containerPath === path);
  const written = mount === undefined ? '' : await files.terminationMessage(mount.hostPath);
  const wantsLog =
    written === '' &&
    notes.terminationMessagePolicy === 'FallbackToLogsOnError' &&
    status.exitCode !== 0 &&
    status.reason !== 'ContainerCannotRun';
  const found = wantsLog ? await files.logTail(status.logPath) : written;
  return status.message !== '' && found !== '' ? `${status.message}: ${found}` : status.message || found;
}

async function orGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
