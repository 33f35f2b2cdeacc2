import type { Clock } from '../../base/clock/clock.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { StatusSink } from '../pod-ports.js';
import { withoutEarlyEnd } from '../status/early-end.js';
import { isTerminal } from '../status/phase.js';
import type { ProbeKind } from '../types/ports.js';

/** `stopped`: no container will run again; `last`: the final status, counted even if unchanged (TerminatePod). */
export type Stage = 'running' | 'stopped' | 'last';

/** The status manager: pod statuses as the API shows them. */
export interface StatusStore {
  get(uid: string): PodApiStatus | undefined;
  /** The status that the kubelet has read back from the API; one of this instant has not arrived yet. */
  returned(uid: string): PodApiStatus | undefined;
  set(pod: Pod, status: PodApiStatus, stage?: Stage): void;
  /** Removes all pods that are not wanted. For those with a worker it keeps the version of the last sent status. */
  keep(wanted: ReadonlySet<string>, workers: ReadonlyMap<string, unknown>): void;
  /** Stores a probe's result, before the sync that it causes. */
  setProbed(pod: Pod, kind: ProbeKind, containerId: string, value: boolean): void;
  /** Publishes the pod's status again, because its object changed. */
  showAgain(pod: Pod): void;
}

export interface StatusStoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The pod's current API object; undefined when it is no longer wanted. A sync may still use an earlier one. */
  readonly wanted: (uid: string) => Pod | undefined;
  /** Receives each changed status until the signal is aborted. */
  readonly sink: StatusSink | undefined;
  readonly signal: AbortSignal;
  /** Recomputes the pod's conditions after a container's readiness changed. */
  readonly refresh: (pod: Pod, status: PodApiStatus) => PodApiStatus;
  /** Whether the new status is a legal successor of the old one; otherwise it is dropped. */
  readonly mayFollow: (pod: Pod, before: PodApiStatus, status: PodApiStatus) => boolean;
  readonly normalize: (pod: Pod, status: PodApiStatus) => PodApiStatus;
}

/** versionedPodStatus: each changed status of a pod gets the next number. */
interface Versioned {
  readonly status: PodApiStatus;
  readonly version: number;
  /** When it was set, in Unix nanoseconds, and the last status of an earlier instant. */
  readonly since: bigint;
  readonly before: PodApiStatus | undefined;
}

/** The status manager (status_manager.go), without an API server. */
export function createStatusStore(options: StatusStoreOptions): StatusStore {
  const { clock, wanted: wantedPod, sink, signal, refresh, mayFollow, normalize } = options;
  const statuses = new Map<string, Versioned>();
  /** apiStatusVersions: the last version sent of each pod. */
  const sent = new Map<string, number>();
  const shown = new Map<string, PodApiStatus>();

  /** A kubelet without an API server shows the end of a static pod immediately. */
  const show = (pod: Pod, status: PodApiStatus, stage: Stage): void => {
    const { uid } = pod.metadata;
    const before = shown.get(uid) ?? pod.status;
    const isEarly = pod.source !== 'file' && stage === 'running';
    const next = isEarly ? withoutEarlyEnd(before, status) : status;
    shown.set(uid, next);
    sink?.status(pod, next);
  };

  const set = (pod: Pod, given: PodApiStatus, stage: Stage = 'running'): void => {
    const { uid } = pod.metadata;
    const known = statuses.get(uid);
    const before = known?.status ?? pod.status;
    if (before !== undefined && !mayFollow(pod, before, given)) return;
    const status = normalize(pod, given);
    const same = known !== undefined && textOf(known.status) === textOf(status);
    const version = (known?.version ?? 0) + (same && stage !== 'last' ? 0 : 1);
    const since = clock.now();
    const next = { status, version, since, before: known?.since === since ? known.before : known?.status };
    statuses.set(uid, next);
    if (!signal.aborted) send(pod, next, same, stage);
  };

  /**
   * syncBatch. Housekeeping forgets the status of a static pod whose manifest is gone. Its versions then restart at 1,
   * so the mirror pod shows the end only of a pod whose status was sent once or never.
   */
  const send = (pod: Pod, { status, version }: Versioned, same: boolean, stage: Stage): void => {
    const { uid } = pod.metadata;
    const wanted = wantedPod(uid);
    const isKept = stage !== 'running' && isTerminal(status.phase) && !isTerminal(shown.get(uid)?.phase);
    const isNews = version > (sent.get(uid) ?? 0) || (wanted !== undefined && (!same || isKept));
    if (!isNews) return;
    sent.set(uid, version);
    if (wanted !== undefined) show(wanted, status, stage);
    else sink?.ending?.(pod, status);
  };

  return {
    get: (uid) => statuses.get(uid)?.status,
    returned: (uid) => {
      const known = statuses.get(uid);
      return known?.since === clock.now() ? known.before : known?.status;
    },
    set,
    keep: (wanted, workers) => {
      for (const known of [statuses, shown])
        for (const uid of known.keys()) if (!wanted.has(uid)) known.delete(uid);
      for (const uid of sent.keys()) if (!wanted.has(uid) && !workers.has(uid)) sent.delete(uid);
    },
    setProbed: (pod, kind, containerId, value) => {
      const { status } = statuses.get(pod.metadata.uid) ?? {};
      if (status === undefined || kind === 'liveness') return;
      const field = kind === 'readiness' ? 'ready' : 'started';
      const apply = (containers: PodApiStatus['containerStatuses']) =>
        containers.map((container) =>
          container.containerID.endsWith(`://${containerId}`) ? { ...container, [field]: value } : container,
        );
      const next: PodApiStatus = {
        ...status,
        initContainerStatuses: apply(status.initContainerStatuses),
        containerStatuses: apply(status.containerStatuses),
      };
      set(pod, refresh(pod, next));
    },
    showAgain: (pod) => {
      const { status } = statuses.get(pod.metadata.uid) ?? {};
      if (status !== undefined) show(pod, status, 'running');
    },
  };
}

const textOf = (status: PodApiStatus): string =>
  JSON.stringify(status, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
