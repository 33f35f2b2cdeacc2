import type { Pod, PodApiStatus, ProbeKind } from '../types.js';

/** The status of every pod as the API would show it (status manager). */
export interface StatusStore {
  get(uid: string): PodApiStatus | undefined;
  set(pod: Pod, status: PodApiStatus): void;
  /** Forgets all other pods. */
  keep(wanted: ReadonlySet<string>): void;
  /** A probe's result, shown before the sync that it causes. */
  setProbed(pod: Pod, kind: ProbeKind, containerId: string, value: boolean): void;
}

/** What the status manager does to a status, and whom it tells. */
export interface StatusStoreOptions {
  /** Called when a pod's status is not what it was. */
  readonly changed: (pod: Pod, status: PodApiStatus) => void;
  /** Works the pod's conditions out anew after a container's readiness changed. */
  readonly refresh: (pod: Pod, status: PodApiStatus) => PodApiStatus;
  /** Whether the status may follow the one before; otherwise it is dropped. */
  readonly mayFollow: (pod: Pod, before: PodApiStatus, status: PodApiStatus) => boolean;
  readonly normalize: (pod: Pod, status: PodApiStatus) => PodApiStatus;
}

/** status_manager.go, without an API server. */
export function createStatusStore(options: StatusStoreOptions): StatusStore {
  const { changed, refresh, mayFollow, normalize } = options;
  const statuses = new Map<string, PodApiStatus>();

  const set = (pod: Pod, given: PodApiStatus): void => {
    const { uid } = pod.metadata;
    const before = statuses.get(uid);
    if (before !== undefined && !mayFollow(pod, before, given)) return;
    const status = normalize(pod, given);
    statuses.set(uid, status);
    if (before === undefined || textOf(before) !== textOf(status)) changed(pod, status);
  };

  return {
    get: (uid) => statuses.get(uid),
    set,
    keep: (wanted) => {
      for (const uid of statuses.keys()) if (!wanted.has(uid)) statuses.delete(uid);
    },
    setProbed: (pod, kind, containerId, value) => {
      const status = statuses.get(pod.metadata.uid);
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
  };
}

const textOf = (status: PodApiStatus): string =>
  JSON.stringify(status, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
