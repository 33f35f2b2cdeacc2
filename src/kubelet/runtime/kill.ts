import { groupBy } from '../../base/input/group-by.js';
import { formatPod } from '../backoff/keys.js';
import { errorText, isNotFound } from '../client/errors.js';
import type { ContainerToKill, KillReason } from '../decisions/pod-actions.js';
import { isSidecar } from '../decisions/restart.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import { type ProbeKind, StartError } from '../types/ports.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import type { RuntimeContext } from './context.js';
import { runHook } from './hooks.js';
import type { SyncResults } from './sync-results.js';
import { createTerminationOrder, type TerminationOrder } from './termination-order.js';

/** Minimum time between SIGTERM and SIGKILL, in seconds (kuberuntime minimumGracePeriodInSeconds). */
export const MINIMUM_GRACE = 2;

/** The default message is `Stopping container <name>`. */
export interface Killing
  extends Pick<ContainerToKill, 'id' | 'container'>,
    Partial<Pick<ContainerToKill, 'message' | 'reason'>> {
  readonly pod: Pod;
  /** In seconds; overrides the pod's grace period. */
  readonly graceOverride?: number | undefined;
  readonly order?: TerminationOrder | undefined;
}

/**
 * killContainer (kuberuntime_container.go): event, preStop, wait for earlier containers, StopContainer. If the
 * container cannot be stopped, containers that wait for it keep waiting.
 */
export async function killContainer(context: RuntimeContext, killing: Killing): Promise<void> {
  const { client, recorder } = context;
  const { pod, container, id, order } = killing;
  let grace = killing.graceOverride ?? gracePeriod(pod, container, killing.reason);
  const message = killing.message || `Stopping container ${container.name}`;
  const probe = probeOf(killing.reason);
  recorder.event(pod, 'Normal', 'Killing', message, container, probe && { probe });
  if (container.lifecycle?.preStop !== undefined && grace > 0)
    grace -= await runPreStop(context, killing, grace);
  if (order !== undefined && grace > 0) grace -= await order.waitForTurn(container.name, grace);
  try {
    await client.stopContainer(id, Math.max(grace, MINIMUM_GRACE));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  order?.ended(container.name);
}

const probeOf = (reason: KillReason | undefined): ProbeKind | undefined =>
  reason === 'liveness' || reason === 'startup' ? reason : undefined;

/** setTerminationGracePeriod: the pod's value, the probe's own value after a probe failure, 2 s by default. */
function gracePeriod(pod: Pod, container: ContainerSpec, reason: KillReason | undefined): number {
  const deletion = pod.metadata.deletionGracePeriodSeconds;
  if (deletion !== undefined) return deletion;
  const probe =
    reason === 'startup'
      ? container.startupProbe
      : reason === 'liveness'
        ? container.livenessProbe
        : undefined;
  return probe?.terminationGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds;
}

/** Runs the hook for at most the grace period; returns the whole seconds that it took. */
async function runPreStop(context: RuntimeContext, killing: Killing, grace: number): Promise<number> {
  const { clock, recorder } = context;
  const { pod, container, id } = killing;
  const handler = container.lifecycle?.preStop;
  if (handler === undefined) return 0;
  const begun = clock.now();
  let overtime = () => {};
  const expired = new Promise<void>((resolve) => {
    overtime = resolve;
  });
  const timer = clock.setTimer(grace * 1000, overtime);
  const hook = clock
    .run(() => runHook(context, pod, container, id, handler))
    .catch(() => recorder.event(pod, 'Warning', 'FailedPreStopHook', 'PreStopHook failed', container));
  await clock.idle(Promise.race([hook, expired]));
  timer.cancel();
  return Number((clock.now() - begun) / 1_000_000_000n);
}

/** Running containers and sandboxes to stop (kubecontainer.Pod). */
export interface RunningPod {
  readonly uid: string;
  readonly containers: readonly { readonly id: string; readonly name: string }[];
  readonly sandboxes: readonly { readonly id: string }[];
}

/** ConvertPodStatusToRunningPod: skips containers in unknown state; they end with their sandbox. */
export function runningPodOf({ uid, containers, sandboxes }: RuntimePodStatus): RunningPod {
  return { uid, containers: containers.filter(({ state }) => state === 'running'), sandboxes };
}

export interface PodKilling {
  readonly pod: Pod;
  readonly running: RunningPod;
  /** In seconds; overrides the pod's grace period. */
  readonly graceOverride?: number | undefined;
  readonly results: SyncResults;
}

/** killPodWithSyncResult: kills all running containers in parallel, then calls StopPodSandbox for every sandbox. */
export async function killPod(context: RuntimeContext, killing: PodKilling): Promise<void> {
  const { clock, client } = context;
  const { pod, running, results } = killing;
  const order = orderFor(context, pod, running);
  const kills = lastFirst(running.containers).map((container) =>
    clock.run(() => killOne(context, killing, container, order)),
  );
  for (const { name, failure } of inOrderOfEnds(await clock.idle(Promise.all(kills)))) {
    if (failure === undefined) results.succeed('KillContainer', name);
    else results.fail('KillContainer', name, failure);
  }
  let failure: StartError | undefined;
  for (const { id } of running.sandboxes) {
    try {
      await client.stopSandbox(id);
    } catch (error) {
      if (!isNotFound(error)) failure = new StartError('KillPodSandboxError', errorText(error));
    }
  }
  if (failure === undefined) results.succeed('KillPodSandbox', running.uid);
  else results.fail('KillPodSandbox', running.uid, failure);
}

/** Only a pod with sidecars has a termination order. */
function orderFor(
  { clock }: RuntimeContext,
  pod: Pod,
  { containers }: RunningPod,
): TerminationOrder | undefined {
  if (!pod.spec.initContainers.some(isSidecar)) return undefined;
  const names = containers.map(({ name }) => name);
  return createTerminationOrder(pod, names, clock);
}

/** Order in which Go runs goroutines that were started together on one processor: the last one first. */
const lastFirst = <T>(started: readonly T[]): T[] => [...started.slice(-1), ...started.slice(0, -1)];

interface Kill {
  readonly name: string;
  readonly failure?: StartError;
  readonly at: bigint;
}

/** Goroutines whose replies arrive in one instant run in that order again. */
function inOrderOfEnds(kills: readonly Kill[]): Kill[] {
  const sorted = kills.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return [...groupBy(sorted, ({ at }) => at).values()].flatMap(lastFirst);
}

async function killOne(
  context: RuntimeContext,
  { pod, graceOverride }: PodKilling,
  { id, name }: RunningPod['containers'][number],
  order: TerminationOrder | undefined,
): Promise<Kill> {
  const { clock } = context;
  try {
    const container = containerOf(pod, name);
    if (container === undefined) throw new Error(withoutSpec(pod, name, `${context.runtimeName()}://${id}`));
    await killContainer(context, { pod, container, id, graceOverride, order });
    return { name, at: clock.now() };
  } catch (error) {
    return { name, at: clock.now(), failure: new StartError('KillContainerError', errorText(error)) };
  }
}

const withoutSpec = (pod: Pod, name: string, id: string): string =>
  `failed to get containerSpec "${name}" (id="${id}") in pod "${formatPod(pod)}" when killing container for reason ""`;

/** container/helpers.go GetContainerSpec. */
export function containerOf({ spec }: Pod, name: string): ContainerSpec | undefined {
  const all = [...spec.containers, ...spec.initContainers, ...(spec.ephemeralContainers ?? [])];
  return all.find((container) => container.name === name);
}
