import type { PodWorker } from './pod-worker.js';

/** allowPodStart: static pods with the same full name run one after another. */
export interface StaticPodStart {
  /** Whether a pod may start. If so, other pods of its name wait until it is released. */
  allow(worker: PodWorker): boolean;
  release(worker: PodWorker): void;
}

/** allowStaticPodStart (pod_workers.go): the first request gets the name. API pods always may start. */
export function createStaticPodStart(): StaticPodStart {
  const running = new Map<string, string>();
  return {
    allow: (worker) => {
      if (worker.started || worker.pod?.source !== 'file') return true;
      const holder = running.get(worker.fullName);
      if (holder !== undefined && holder !== worker.uid) return false;
      running.set(worker.fullName, worker.uid);
      return true;
    },
    release: ({ uid, fullName }) => {
      if (running.get(fullName) === uid) running.delete(fullName);
    },
  };
}
