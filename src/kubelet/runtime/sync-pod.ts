import { restOfInstant } from '../../base/clock/instant.js';
import type { PodSandboxConfig } from '../../cri/gen/runtime/v1/api.js';
import { checkCrashLoop } from '../backoff/crash-loop.js';
import { formatPod } from '../backoff/keys.js';
import { errorText } from '../client/errors.js';
import { ipsOfSandbox } from '../client/pod-status.js';
import { sandboxConfig } from '../cri-configs/sandbox-config.js';
import { computePodActions } from '../decisions/actions.js';
import type { PodActions } from '../decisions/pod-actions.js';
import { isSidecar } from '../decisions/restart.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import { StartError } from '../types/ports.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import type { RuntimeContext } from './context.js';
import { removeContainer } from './gc.js';
import { containerOf, killContainer, killPod, runningPodOf } from './kill.js';
import { resizePod } from './resize-pod.js';
import { type Start, startContainer } from './start-container.js';
import { SyncResults, toFailure } from './sync-results.js';

export interface PodSync {
  readonly pod: Pod;
  readonly status: RuntimePodStatus;
  /** Condition AllContainersRestarting of the pod (KEP-5532). */
  readonly restartingAll: boolean;
  /** Called when the sandbox exists: PodReadyToStartContainers can become true early. */
  readonly onSandboxReady: () => void;
  /** While the pod is being terminated, a failed sandbox creation is not a failure. */
  readonly isTerminating: () => boolean;
}

/** kuberuntime SyncPod. Does not throw when the runtime refuses a call; the results have those errors. */
export async function syncRuntimePod(context: RuntimeContext, sync: PodSync): Promise<SyncResults> {
  const { pod, status, restartingAll } = sync;
  const { recorder, version, hashOf, probeResult } = context;
  const actuated = ({ name }: ContainerSpec) => context.actuated.get(pod.metadata.uid, name);
  const results = new SyncResults();
  const actions = computePodActions({
    pod,
    status,
    version,
    hashOf,
    probeResult,
    actuated,
    restartingAll,
  });

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

/** Kills the pod; returns false if that failed, or if nothing starts afterwards. */
async function clearPod(
  context: RuntimeContext,
  { pod, status }: PodSync,
  actions: PodActions,
  results: SyncResults,
): Promise<boolean> {
  await killPod(context, { pod, running: runningPodOf(status), results });
  if (results.error() !== undefined) return false;
  if (actions.createSandbox) await purgeInitContainers(context, pod, status);
  await pruneInitContainers(context, pod, status);
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
      await killContainer(context, { pod, ...kill });
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
      await reset(context, pod, container);
      results.succeed('RemoveContainer', container.name);
    } catch (error) {
      const failure = toFailure('RemoveContainerError', error, errorText(error));
      results.fail('RemoveContainer', container.name, failure);
      return false;
    }
  }
  await pruneInitContainers(context, pod, status);
  return actions.containersToReset.length === 0;
}

/** Removes a container before all restart; its log stays. */
async function reset(
  context: RuntimeContext,
  pod: Pod,
  { id, name, state }: RuntimeContainerStatus,
): Promise<void> {
  if (state !== 'exited') {
    await stopForReset(context, pod, name, id).catch((error: unknown) => {
      throw new StartError('KillContainerError', errorText(error));
    });
  }
  await removeContainer(context, id, { keepLog: true });
}

/** RestartAllContainers uses the minimum grace period (KEP-5532). */
async function stopForReset(context: RuntimeContext, pod: Pod, name: string, id: string): Promise<void> {
  const container = containerOf(pod, name);
  if (container === undefined) return;
  const killing = { pod, container, id, message: 'killing' };
  await killContainer(context, { ...killing, graceOverride: 0 });
}

/** purgeInitContainers: removes all for the new sandbox. All have stopped, regardless of the status. */
async function purgeInitContainers(
  context: RuntimeContext,
  { spec }: Pod,
  { containers }: RuntimePodStatus,
): Promise<void> {
  for (const { name } of spec.initContainers) {
    for (const container of containers) {
      if (container.name === name) await removeContainer(context, container.id).catch(() => {});
    }
  }
}

/**
 * pruneInitContainersBeforeStart: keeps the newest ended container of every name. The pod's garbage collection may
 * remove the same container in this instant; it begins first.
 */
async function pruneInitContainers(
  context: RuntimeContext,
  { spec }: Pod,
  { containers }: RuntimePodStatus,
): Promise<void> {
  for (const init of spec.initContainers) {
    const ended = containers.filter(
      ({ name, state }) => name === init.name && (state === 'exited' || state === 'unknown'),
    );
    for (const { id } of ended.slice(1)) {
      await restOfInstant(context.clock);
      await removeContainer(context, id).catch(() => {});
    }
  }
}

interface Sandbox {
  readonly id: string;
  readonly ips: readonly string[];
  readonly config: PodSandboxConfig;
}

async function readySandbox(
  context: RuntimeContext,
  sync: PodSync,
  actions: PodActions,
  results: SyncResults,
): Promise<Sandbox | undefined> {
  const { client, recorder, files } = context;
  const { pod, status } = sync;
  const config = sandboxConfig(pod, actions.attempt, files.podLogDirectory(pod.metadata));
  if (!actions.createSandbox) return { id: actions.sandboxId, ips: status.ips, config };
  const id = await createSandbox(context, sync, config, results);
  if (id === undefined) return undefined;
  try {
    const reply = await client.sandboxStatus(id);
    if (reply.status === undefined) {
      results.failSync('pod sandbox status is nil');
      return undefined;
    }
    const ips = pod.spec.hostNetwork ? status.ips : ipsOfSandbox(reply.status);
    sync.onSandboxReady();
    return { id, ips, config };
  } catch (error) {
    const text = errorText(error);
    recorder.event(pod, 'Warning', 'FailedPodSandBoxStatus', `Unable to get pod sandbox status: ${text}`);
    results.failSync(text);
    return undefined;
  }
}

/** Returns the sandbox id, or undefined when the creation failed. */
async function createSandbox(
  { client, recorder }: RuntimeContext,
  { pod, isTerminating }: PodSync,
  config: PodSandboxConfig,
  results: SyncResults,
): Promise<string | undefined> {
  const target = formatPod(pod);
  try {
    const id = await client.runSandbox(config, pod.spec.runtimeClassName ?? '');
    results.succeed('CreatePodSandbox', target);
    return id;
  } catch (error) {
    if (isTerminating()) {
      results.succeed('CreatePodSandbox', target);
      return undefined;
    }
    const text = errorText(error);
    const message = `Failed to create sandbox for pod ${JSON.stringify(target)}: ${text}`;
    results.fail('CreatePodSandbox', target, new StartError('CreatePodSandboxError', message));
    recorder.event(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${text}`);
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
  const { version, recorder } = context;
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
        { backOff: context.crashBackOff, version, recorder, decided: context.backOffDecided },
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
  const { resize } = actions;
  const resizeFirst = version.minor >= 37;
  const resizing = async () => {
    if (resize !== undefined)
      await resizePod(context, { pod, status, sandboxId: sandbox.id, resize, results });
  };
  if (resizeFirst) await resizing();
  for (const index of actions.ephemeralContainersToStart)
    await start(pod.spec.ephemeralContainers?.[index] as ContainerSpec);
  for (const index of actions.initContainersToStart) {
    const container = pod.spec.initContainers[index] as ContainerSpec;
    const started = await start(container);
    if (!started && !isSidecar(container)) return;
  }
  if (!resizeFirst) await resizing();
  for (const index of actions.containersToStart) await start(pod.spec.containers[index] as ContainerSpec);
}
