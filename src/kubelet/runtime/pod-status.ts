import { isIP } from 'node:net';
import {
  type ContainerStatus,
  PodSandboxState,
  type PodSandboxStatus,
} from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types.js';
import type { RuntimeClient } from './client.js';
import { isNotFound } from './errors.js';
import type { KubeletFiles } from './files.js';
import { CONTAINER_NAME, readNotes } from './labels.js';
import { type ListedPod, newestFirst, stateOf } from './pods.js';

/** How a pod is looked up in the runtime. */
export interface PodStatusOptions {
  readonly client: RuntimeClient;
  readonly files: KubeletFiles;
  /** EventedPLEG on: believe the containers in the sandbox's answer if it has a timestamp. */
  readonly believeSandboxAnswer: boolean;
}

/**
 * GetPodStatus: PodSandboxStatus of every sandbox and ContainerStatus of every container. What is gone meanwhile is
 * left out; any other error fails the whole pod.
 */
export async function getPodStatus(
  pod: ListedPod,
  timestamp: bigint,
  options: PodStatusOptions,
): Promise<RuntimePodStatus> {
  const { client, files, believeSandboxAnswer } = options;
  const sandboxes: PodSandboxStatus[] = [];
  let answered: { statuses: readonly ContainerStatus[]; timestamp: bigint } | undefined;
  for (const { id } of pod.sandboxes) {
    const reply = await orGone(client.sandboxStatus(id));
    if (reply?.status === undefined) continue;
    if (believeSandboxAnswer && sandboxes.length === 0 && reply.timestamp !== 0n) {
      answered = { statuses: reply.containersStatuses, timestamp: reply.timestamp };
    }
    sandboxes.push(reply.status);
  }
  const containers: RuntimeContainerStatus[] = [];
  const ids = answered === undefined ? pod.containers : [];
  for (const { id, podSandboxId } of ids) {
    const status = await orGone(client.containerStatus(id));
    if (status !== undefined) containers.push(await toRuntimeStatus(status, podSandboxId, files));
  }
  containers.sort(newestFirst);
  for (const status of answered?.statuses ?? []) {
    containers.push(await toRuntimeStatus(status, sandboxes[0]?.id ?? '', files));
  }
  return {
    uid: pod.uid,
    name: pod.name,
    namespace: pod.namespace,
    ips: ipsOf(sandboxes),
    sandboxes,
    containers,
    timestamp: answered?.timestamp ?? timestamp,
  };
}

/** IPs of the newest sandbox, if it is ready (kuberuntime_manager.go GetPodStatus). */
export function ipsOf(sandboxes: readonly PodSandboxStatus[]): readonly string[] {
  const newest = sandboxes[0];
  if (newest?.state !== PodSandboxState.SANDBOX_READY) return [];
  return ipsOfSandbox(newest);
}

/** determinePodSandboxIPs (kuberuntime_sandbox.go): the primary address first; none at all if one is no IP address. */
export function ipsOfSandbox({ network }: PodSandboxStatus): readonly string[] {
  if (network === undefined) return [];
  const additional = network.additionalIps.map(({ ip }) => ip);
  const ips = network.ip === '' ? additional : [network.ip, ...additional];
  return ips.every((ip) => isIP(ip) !== 0) ? ips : [];
}

/** kuberuntime_container.go toKubeContainerStatus, with the termination message of an exited container. */
export async function toRuntimeStatus(
  status: ContainerStatus,
  podSandboxId: string,
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
    image: status.image?.userSpecifiedImage || status.image?.image || '',
    imageRef: status.imageRef,
    hash: notes.hash,
    restartCount: notes.restartCount,
    podSandboxId,
  };
}

/** The file at terminationMessagePath; with FallbackToLogsOnError, and if it is empty, the log's tail. */
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
