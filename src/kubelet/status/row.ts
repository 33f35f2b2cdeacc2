import type { Pod } from '../kubernetes/pod.js';
import type { ContainerApiState, ContainerApiStatus, PodApiStatus } from '../kubernetes/pod-status.js';
import { humanDuration } from './human-duration.js';

export interface PodRow {
  readonly name: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** As printed: `3 (12s ago)`. */
  readonly restartsText: string;
  /** As printed: `5m`. */
  readonly age: string;
}

export interface RowPod {
  readonly metadata: Pick<Pod['metadata'], 'name' | 'creationTimestamp' | 'deletionTimestamp'>;
  readonly spec: {
    readonly containers: readonly unknown[];
    readonly initContainers: readonly {
      readonly name: string;
      readonly restartPolicy?: string | undefined;
    }[];
  };
}

/** printPod (kubernetes pkg/printers/internalversion/printers.go, 1.36) at an instant in Unix nanoseconds. */
export function podRow(pod: RowPod, status: PodApiStatus, now: bigint): PodRow {
  const init = initPart(pod, status);
  const showInit = init.reason !== undefined && !hasCondition(status, 'Initialized');
  const fallback = init.reason ?? status.reason ?? status.phase;
  const part = showInit ? init : regularPart(status, init, fallback);
  const sidecars = pod.spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').length;
  return {
    name: pod.metadata.name,
    ready: `${init.ready + (showInit ? 0 : part.ready)}/${pod.spec.containers.length + sidecars}`,
    status: terminating(pod, status) ?? part.reason ?? fallback,
    restarts: part.restarts,
    restartsText: restartsText(part.restarts, part.lastRestart, now),
    age:
      pod.metadata.creationTimestamp === undefined ? '<unknown>' : since(pod.metadata.creationTimestamp, now),
  };
}

interface Part {
  readonly reason: string | undefined;
  readonly restarts: number;
  /** When the last restarted container ended, in Unix nanoseconds; 0 for never. */
  readonly lastRestart: bigint;
  readonly ready: number;
}

interface InitPart extends Part {
  readonly sidecarRestarts: number;
  readonly lastSidecarRestart: bigint;
}

/** Init containers in order, up to the first unfinished one, whose state becomes the pod's. */
function initPart({ spec }: RowPod, { initContainerStatuses }: PodApiStatus): InitPart {
  let ready = 0;
  let restarts = 0;
  let lastRestart = 0n;
  let sidecarRestarts = 0;
  let lastSidecarRestart = 0n;
  let reason: string | undefined;
  for (const [index, status] of initContainerStatuses.entries()) {
    const isSidecar =
      spec.initContainers.find(({ name }) => name === status.name)?.restartPolicy === 'Always';
    restarts += status.restartCount;
    lastRestart = latest(lastRestart, status);
    if (isSidecar) {
      sidecarRestarts += status.restartCount;
      lastSidecarRestart = latest(lastSidecarRestart, status);
    }
    if (status.state.kind === 'terminated' && status.state.exitCode === 0) continue;
    if (isSidecar && status.started) {
      if (status.ready) ready++;
      continue;
    }
    reason = initReason(status.state) ?? `Init:${index}/${spec.initContainers.length}`;
    break;
  }
  return { reason, restarts, lastRestart, sidecarRestarts, lastSidecarRestart, ready };
}

function initReason(state: ContainerApiState): string | undefined {
  if (state.kind === 'terminated') return `Init:${endReason(state)}`;
  const waits = state.kind === 'waiting' && state.reason !== '' && state.reason !== 'PodInitializing';
  return waits ? `Init:${state.reason}` : undefined;
}

/** Regular containers from last to first, so that the first one's state wins. */
function regularPart(status: PodApiStatus, init: InitPart, fallback: string): Part {
  let reason = fallback;
  let errorReason: string | undefined;
  let hasRunning = false;
  let ready = 0;
  let restarts = init.sidecarRestarts;
  let lastRestart = init.lastSidecarRestart;
  for (const container of status.containerStatuses.toReversed()) {
    restarts += container.restartCount;
    lastRestart = latest(lastRestart, container);
    const { state } = container;
    if (state.kind === 'waiting' && state.reason !== '') {
      reason = state.reason;
    } else if (state.kind === 'terminated') {
      reason = endReason(state);
      if (state.exitCode !== 0) errorReason = reason;
    } else if (state.kind === 'running' && container.ready) {
      hasRunning = true;
      ready++;
    }
  }
  if (reason === 'Completed') reason = completedReason(status, hasRunning, errorReason);
  return { reason, restarts, lastRestart, ready };
}

/** A pod is not Completed while another container runs or has failed. */
function completedReason(status: PodApiStatus, hasRunning: boolean, errorReason: string | undefined): string {
  if (hasRunning && hasCondition(status, 'Ready')) return 'Running';
  if (errorReason !== undefined) return errorReason;
  return hasRunning ? 'NotReady' : 'Completed';
}

/** CRI has no field for the signal, so `Signal:N` cannot occur. */
function endReason({ reason, exitCode }: Extract<ContainerApiState, { kind: 'terminated' }>): string {
  return reason === '' ? `ExitCode:${exitCode}` : reason;
}

function terminating({ metadata }: RowPod, { phase, reason }: PodApiStatus): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  if (reason === 'NodeLost') return 'Unknown';
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating';
}

const hasCondition = ({ conditions }: PodApiStatus, wanted: string): boolean =>
  conditions.some(({ type, status }) => type === wanted && status === 'True');

function latest(before: bigint, { lastState }: ContainerApiStatus): bigint {
  return lastState?.kind === 'terminated' && lastState.finishedAt > before ? lastState.finishedAt : before;
}

function restartsText(restarts: number, lastRestart: bigint, now: bigint): string {
  return restarts === 0 || lastRestart === 0n
    ? String(restarts)
    : `${restarts} (${since(lastRestart, now)} ago)`;
}

/** API timestamps are whole seconds. */
const since = (time: bigint, now: bigint): string =>
  humanDuration(Number(now - (time / 1_000_000_000n) * 1_000_000_000n) / 1e6);
