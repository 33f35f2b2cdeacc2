import type { Clock } from '../../base/clock/clock.js';
import { restOfInstant, someOfInstant } from '../../base/clock/instant.js';
import type { Random } from '../../base/random/random.js';
import type { ContainerApiStatus, PodApiStatus } from '../kubernetes/pod-status.js';
import type { ProbeKind, ProbeResult } from '../types/ports.js';
import type { Prober, ProbeTarget } from './prober.js';

/** In ms: a container that started this long before the kubelet keeps its state (worker.go, ≥ 1.35). */
const RESTART_MARGIN = 10_000;

/** More event loop turns than any chain of replies takes in one instant. */
const WHOLE_INSTANT = 30;

export interface WorkerOptions extends Pick<ProbeTarget, 'pod' | 'container' | 'kind' | 'probe'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly prober: Prober;
  /** Start of the kubelet, as `Clock.elapsed` and in Unix nanoseconds. */
  readonly kubeletStart: { readonly elapsed: number; readonly time: bigint };
  /** Whether a triggered probe restarts the period (≥ 1.32). */
  readonly triggerRestartsPeriod: boolean;
  /** Whether ready and started survive a kubelet restart (≥ 1.35, gate off). */
  readonly keepsState: boolean;
  readonly status: () => PodApiStatus | undefined;
  readonly results: {
    set(containerId: string, result: ProbeResult): void;
    remove(containerId: string): void;
  };
  /** Aborts when the kubelet stops. */
  readonly signal: AbortSignal;
  /** Aborts when the pod is terminated: cancels current and later commands of the probe. */
  readonly cancelled: AbortSignal;
  /** Whether a container that ended with this code restarts; if not, its worker ends. */
  readonly willRestart: (exitCode: number, status: PodApiStatus) => boolean;
}

export interface ProbeWorker {
  trigger(): void;
  /** Stops after the current probe, and removes its result. */
  stop(): void;
  readonly done: Promise<void>;
}

const INITIAL: Readonly<Record<ProbeKind, ProbeResult>> = {
  liveness: 'success',
  readiness: 'failure',
  startup: 'unknown',
};

/** prober/worker.go: one probe of a container, for all its instances. The period ignores the container's start. */
export function startWorker(options: WorkerOptions): ProbeWorker {
  const { clock, random, probe, results } = options;
  const period = probe.periodSeconds * 1000;
  const check = createCheck(options);
  let stopped = false;
  let triggered = false;
  let nextTick = 0;
  let interrupt: AbortController | undefined;

  const pause = async (delay: number): Promise<void> => {
    interrupt = new AbortController();
    await clock.sleep(delay, interrupt.signal).catch(() => {});
    interrupt = undefined;
  };

  /**
   * A tick a few nanoseconds later, after everything else in this instant. Its trigger and the tick cause a probe each.
   */
  const laterInInstant = async (): Promise<void> => {
    for (let turn = 0; turn < WHOLE_INSTANT && !triggered && !stopped; turn++) await pause(0);
  };

  /** Waits for the next tick or trigger. Missed ticks count as one; an early tick is consumed. */
  const wait = async (): Promise<void> => {
    const delay = nextTick - clock.elapsed();
    if (delay > 0 && !triggered && !stopped) await pause(delay);
    const now = clock.elapsed();
    const isTick = !triggered;
    if (triggered && options.triggerRestartsPeriod) nextTick = now + period;
    if (isTick) nextTick += period;
    while (nextTick <= now) nextTick += period;
    triggered = false;
    if (isTick && !options.triggerRestartsPeriod && random.next() < 0.5) await laterInInstant();
  };

  /** A worker stopped before it began still probes once. */
  const run = async (): Promise<void> => {
    if (period > clock.elapsed() - options.kubeletStart.elapsed)
      await clock.sleep(random.next() * period, options.signal).catch(() => {});
    nextTick = clock.elapsed() + period;
    let isNeeded = !options.signal.aborted;
    while (isNeeded) {
      isNeeded = await check.once();
      if (isNeeded) await wait();
      if (stopped) isNeeded = false;
    }
    if (check.containerId() !== '') results.remove(check.containerId());
  };

  return {
    trigger: () => {
      triggered = true;
      interrupt?.abort();
    },
    stop: () => {
      stopped = true;
      interrupt?.abort();
    },
    done: clock.run(run),
  };
}

function createCheck(options: WorkerOptions) {
  const { clock, random, prober, pod, container, kind, probe, results } = options;
  let containerId = '';
  let onHold = false;
  let last: ProbeResult | undefined;
  let run = 0;

  const follow = (id: string, shown: ContainerApiStatus): void => {
    if (containerId !== '') results.remove(containerId);
    containerId = id;
    const { keepsState, kubeletStart } = options;
    // A started sidecar keeps its pod initialized across a kubelet restart (kubernetes #136910).
    const isSidecar = pod.spec.initContainers.includes(container) && container.restartPolicy === 'Always';
    if (keepsState && isSidecar && kind === 'startup' && shown.started) results.set(id, 'success');
    if (!keepsState || !isOlderThanKubelet(shown, kubeletStart.time)) results.set(id, INITIAL[kind]);
    onHold = false;
  };

  const reaches = (result: ProbeResult): boolean => {
    run = result === last ? run + 1 : 1;
    last = result;
    return run >= (result === 'failure' ? probe.failureThreshold : probe.successThreshold);
  };

  /** doProbe: returns false when the worker is no longer needed. */
  const once = async (): Promise<boolean> => {
    // The first result of a startup probe may change the status in this instant.
    if (container.startupProbe !== undefined) await someOfInstant(clock, random);
    const status = options.status();
    if (status === undefined) return true;
    if (status.phase === 'Failed' || status.phase === 'Succeeded') return false;
    const shown = findStatus(status, container.name);
    if (shown === undefined) return true;
    const id = shown.containerID.replace(/^.*:\/\//, '');
    if (id !== containerId) follow(id, shown);
    if (onHold) return true;
    const { state } = shown;
    if (state.kind !== 'running') {
      results.set(id, 'failure');
      return state.kind !== 'terminated' || options.willRestart(state.exitCode, status);
    }
    if (pod.metadata.deletionTimestamp !== undefined && kind !== 'readiness') {
      results.set(id, 'success');
      return false;
    }
    if (secondsSince(state.startedAt, clock.now()) < probe.initialDelaySeconds) return true;
    if (shown.started === (kind === 'startup')) return true;
    const begun = clock.now();
    const result = await prober({
      pod,
      container,
      containerId: id,
      kind,
      probe,
      status,
      signal: options.cancelled,
    });
    // The loop must receive the container's first result before that of a probe that takes no time.
    if (clock.now() === begun) await restOfInstant(clock);
    // A sync caused by another result of this instant may begin before this result is known.
    await someOfInstant(clock, random);
    if (result === undefined || !reaches(result)) return true;
    results.set(id, result);
    if (kind === 'startup' || (kind === 'liveness' && result === 'failure')) {
      onHold = true;
      run = 0;
    }
    return true;
  };

  return { once, containerId: () => containerId };
}

function findStatus(status: PodApiStatus, name: string): ContainerApiStatus | undefined {
  const find = (list: readonly ContainerApiStatus[]) =>
    list.find((each) => each.name === name && each.containerID !== '');
  return find(status.containerStatuses) ?? find(status.initContainerStatuses);
}

/** Whether it started long before the kubelet. `kubeletStart` is in Unix nanoseconds. */
export const isOlderThanKubelet = ({ state }: ContainerApiStatus, kubeletStart: bigint): boolean =>
  state.kind === 'running' && Number(kubeletStart - inTheApi(state.startedAt)) / 1e6 > RESTART_MARGIN;

const secondsSince = (time: bigint, now: bigint): number => Math.trunc(Number(now - inTheApi(time)) / 1e9);

/** The API stores start times in whole seconds (status_manager.go normalizeStatus). */
const inTheApi = (time: bigint): bigint => (time / 1_000_000_000n) * 1_000_000_000n;
