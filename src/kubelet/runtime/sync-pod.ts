import { checkCrashLoop } from '../backoff/crash-loop.js';
import { type ContainerSpec, type Pod, type RuntimePodStatus, StartError } from '../types.js';
import { computePodActions, type PodActions } from './actions.js';
import type { RuntimeContext } from './context.js';
import { errorText } from './errors.js';
import { removeContainer } from './gc.js';
import { killContainer, killPod } from './kill.js';
import { ipsOfSandbox } from './pod-status.js';
import { newestFirst } from './pods.js';
import { isSidecar } from './restart.js';
import { SyncResults, toFailure } from './results.js';
import { sandboxConfig } from './sandbox-config.js';
import { type Start, startContainer } from './start-container.js';

/** One sync of a pod with what is known of it. */
export interface PodSync {
  readonly pod: Pod;
  readonly status: RuntimePodStatus;
  /** The pod's condition AllContainersRestarting is true (KEP-5532). */
  readonly restartingAll: boolean;
  /** The sandbox is there: the condition PodReadyToStartContainers may turn true early. */
  readonly onSandboxReady: () => void;
}

/** kuberuntime SyncPod. Never throws for what the runtime refuses: the results tell. */
export async function syncRuntimePod(context: RuntimeContext, sync: PodSync): Promise<SyncResults> {
  const { pod, status, restartingAll } = sync;
  const { recorder, profile, hashOf, probeResult } = context;
  const results = new SyncResults();
  const actions = computePodActions({ pod, status, profile, hashOf, probeResult, restartingAll });

  if (actions.createSandbox && actions.sandboxId !== '') {
    const message = 'Pod sandbox changed, it will be killed and re-created.';
    recorder.event(pod, 'Normal', 'SandboxChanged', message);
  }
  const cleared = actions.killPod
    ? await clearPod(context, sync, actions, results)
    : await clearContainers(context, sync, actions, results);
  if (!cleared) return results;
  const sandbox = await readySandbox(context, sync, actions, results);
  if (sandbox === undefined) return results;
  await startContainers(context, sync, actions, sandbox, results);
  return results;
}

/** Kills the pod; false when that failed or nothing is to be started afterwards. */
async function clearPod(
  context: RuntimeContext,
  { pod, status }: PodSync,
  actions: PodActions,
  results: SyncResults,
): Promise<boolean> {
  await killPod(context, { pod, status, results });
  if (results.error() !== undefined) return false;
  await removeInitContainers(context, pod, status, actions.createSandbox ? 0 : 1);
  return actions.createSandbox;
}

async function clearContainers(
  context: RuntimeContext,
  { pod, status }: PodSync,
  actions: PodActions,
  results: SyncResults,
): Promise<boolean> {
  for (const kill of actions.containersToKill) {
    try {
      await killContainer(context, { pod, podIp: status.ips[0], ...kill });
      results.succeed('KillContainer', kill.container.name);
    } catch (error) {
      results.fail(
        'KillContainer',
        kill.container.name,
        new StartError('KillContainerError', errorText(error)),
      );
      return false;
    }
  }
  for (const container of actions.containersToReset) {
    try {
      if (container.state !== 'exited') await stopForReset(context, pod, container.name, container.id);
      await removeContainer(context, container.id, { keepLog: true });
      results.succeed('RemoveContainer', container.name);
    } catch (error) {
      results.fail(
        'RemoveContainer',
        container.name,
        new StartError('RemoveContainerError', errorText(error)),
      );
      return false;
    }
  }
  await removeInitContainers(context, pod, status, 1);
  return actions.containersToReset.length === 0;
}

/** RestartAllContainers stops with the shortest grace period (KEP-5532). */
async function stopForReset(context: RuntimeContext, pod: Pod, name: string, id: string): Promise<void> {
  const container = [...pod.spec.containers, ...pod.spec.initContainers].find((each) => each.name === name);
  if (container === undefined) return;
  const killing = { pod, container, id, podIp: undefined, message: 'killing' };
  await killContainer(context, { ...killing, graceOverride: 0 });
}

/** Before init containers run again: keeps the newest `keep` ended ones of every name (prune and purge). */
async function removeInitContainers(
  context: RuntimeContext,
  pod: Pod,
  status: RuntimePodStatus,
  keep: number,
): Promise<void> {
  for (const { name } of pod.spec.initContainers) {
    const ended = status.containers.filter(
      (container) =>
        container.name === name && (container.state === 'exited' || container.state === 'unknown'),
    );
    for (const { id } of ended.sort(newestFirst).slice(keep)) {
      await removeContainer(context, id).catch(() => {});
    }
  }
}

interface Sandbox {
  readonly id: string;
  readonly ips: readonly string[];
  readonly config: ReturnType<typeof sandboxConfig>;
}

async function readySandbox(
  context: RuntimeContext,
  { pod, status, onSandboxReady }: PodSync,
  actions: PodActions,
  results: SyncResults,
): Promise<Sandbox | undefined> {
  const { client, recorder, files } = context;
  const config = sandboxConfig(pod, actions.attempt, files.podLogDirectory(pod.metadata));
  if (!actions.createSandbox) return { id: actions.sandboxId, ips: status.ips, config };
  const { name } = pod.metadata;
  try {
    const id = await client.runSandbox(config, pod.spec.runtimeClassName ?? '');
    results.succeed('CreatePodSandbox', name);
    const reply = await client.sandboxStatus(id);
    if (reply.status === undefined) throw new Error('pod sandbox status is missing');
    const ips = pod.spec.hostNetwork ? [] : ipsOfSandbox(reply.status);
    onSandboxReady();
    return { id, ips, config };
  } catch (error) {
    const text = errorText(error);
    recorder.event(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${text}`);
    const message = `Failed to create sandbox for pod "${name}_${pod.metadata.namespace}(${pod.metadata.uid})": ${text}`;
    results.fail('CreatePodSandbox', name, new StartError('CreatePodSandboxError', message));
    return undefined;
  }
}

async function startContainers(
  context: RuntimeContext,
  { pod, status }: PodSync,
  actions: PodActions,
  sandbox: Sandbox,
  results: SyncResults,
): Promise<void> {
  const { profile, recorder } = context;
  const start = async (container: ContainerSpec): Promise<boolean> => {
    const step: Start = {
      pod,
      container,
      status,
      sandboxId: sandbox.id,
      sandboxConfig: sandbox.config,
      podIps: sandbox.ips,
    };
    try {
      checkCrashLoop(
        { backOff: context.crashBackOff, profile, recorder, decided: context.backOffDecided },
        pod,
        container,
        status,
      );
      await startContainer(context, step);
      results.succeed('StartContainer', container.name);
      return true;
    } catch (error) {
      const failure = toFailure('RunContainerError', error, errorText(error));
      results.fail('StartContainer', container.name, failure);
      return false;
    }
  };
  for (const index of actions.initContainersToStart) {
    const container = pod.spec.initContainers[index] as ContainerSpec;
    const started = await start(container);
    if (!started && !isSidecar(container)) return;
  }
  for (const index of actions.containersToStart) await start(pod.spec.containers[index] as ContainerSpec);
}
