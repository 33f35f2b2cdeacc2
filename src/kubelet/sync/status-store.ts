import type { Pod, PodApiStatus, ProbeKind } from '../types.js';

/** The status of every pod as the API shows it (status manager). */
export interface StatusStore {
  get(uid: string): PodApiStatus | undefined;
  set(pod: Pod, status: PodApiStatus): void;
  /** Removes all other pods. */
  keep(wanted: ReadonlySet<string>): void;
  /** Stores a probe's result, before the sync that it causes. */
  setProbed(pod: Pod, kind: ProbeKind, containerId: string, value: boolean): void;
}

/** Dependencies of the status store. */
export interface StatusStoreOptions {
  /** Called when a pod's status changed. */
  readonly changed: (pod: Pod, status: PodApiStatus) => void;
  /** Recomputes the pod's conditions after a container's readiness changed. */
  readonly refresh: (pod: Pod, status: PodApiStatus) => PodApiStatus;
  /** Whether the new status is a legal successor of the old one; otherwise it is dropped. */
  readonly mayFollow: (pod: Pod, before: PodApiStatus, status: PodApiStatus) => boolean;
  readonly normalize: (pod: Pod, status: PodApiStatus) => PodApiStatus;
}

/** The status manager (status_manager.go), without an API server. */
export function createStatusStore(options: StatusStoreOptions): StatusStore {
  const { changed, refresh, mayFollow, normalize } = options;
  const statuses = new Map<string, PodApiStatus>();

  const set = (pod: Pod, given: PodApiStatus): void => {
    const { uid } = pod.metadata;
    const known = statuses.get(uid);
    const before = known ?? pod.status;
    if (before !== undefined && !mayFollow(pod, before, given)) return;
    const status = normalize(pod, given);
    statuses.set(uid, status);
    if (known === undefined || textOf(known) !== textOf(status)) changed(pod, status);
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
