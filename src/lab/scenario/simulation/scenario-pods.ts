import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../../kubelet/kubernetes/pod-status.js';
import type { PodSource } from '../../../kubelet/pod-ports.js';
import { createGivenPods } from '../../../kubelet/pods/given-pods.js';
import { seenAt } from '../../../kubelet/pods/manifest.js';
import type { LoadedPod, LoadedScenario } from '../file/loaded-scenario.js';
import { findPod, readEntry } from '../file/pods.js';

/** The pods of a scenario as a source for its kubelet, which may restart. */
export interface ScenarioPods extends PodSource {
  add(pod: LoadedPod): void;
  /**
   * Removes a static pod's manifest, or deletes another pod, which stays until it has ended. `name` is `web`, or
   * `blue/web`. Returns false if it is already gone.
   */
  remove(name: string): boolean;
  all(): readonly Pod[];
  /** Pods that the control plane would delete from a node it evicts from. */
  evictable(): readonly Pod[];
  finished(uid: string): void;
  /** A pod's manifest as JSON, with the behaviors of its containers. */
  manifestOf(pod: Pod): string;
}

export interface ApiPods {
  /** A starting kubelet gets pods with this status. */
  readonly status: (uid: string) => PodApiStatus | undefined;
  /** Whether the pod has ended: then it is deleted immediately regardless of its grace period (CheckGracefulDelete). */
  readonly isOver: (pod: Pod) => boolean;
  readonly ended: (pod: Pod) => void;
  readonly deleted: (pod: Pod) => void;
  readonly gone: (pod: Pod) => void;
}

/** Pod source of a scenario; the timeline changes it. */
export function createScenarioPods(
  scenario: LoadedScenario,
  now: () => bigint,
  { status, isOver, ended, deleted, gone }: ApiPods,
): ScenarioPods {
  const pods = createGivenPods();
  const manifests = new Map<string, string>();
  return {
    start: (receiver) => {
      const known = new WeakMap<Pod, Pod>();
      const asInApi = (pod: Pod): Pod => {
        const found = known.get(pod) ?? withStatus(pod, status(pod.metadata.uid));
        known.set(pod, found);
        return found;
      };
      return pods.start((all) => receiver(all.map(asInApi)));
    },
    add: (entry) => {
      const read = readEntry(scenario, entry);
      for (const [uid, object] of read.objects) manifests.set(uid, JSON.stringify(object));
      pods.set([...pods.all, ...read.pods.map((pod) => seenAt(pod, now()))]);
    },
    remove: (name) => {
      const found = findPod(pods.all, name);
      if (found === undefined) return false;
      ended(found);
      if (found.source === 'file') pods.set(pods.all.filter((pod) => pod !== found));
      else if (isOver(found)) gone(found);
      else {
        const deletionGracePeriodSeconds = found.spec.terminationGracePeriodSeconds;
        const metadata = { ...found.metadata, deletionTimestamp: now(), deletionGracePeriodSeconds };
        const ending = { ...found, metadata };
        deleted(ending);
        pods.set(pods.all.map((pod) => (pod === found ? ending : pod)));
      }
      return true;
    },
    all: () => pods.all,
    evictable: () =>
      pods.all.filter(({ source, metadata }) => source === 'api' && metadata.deletionTimestamp === undefined),
    manifestOf: ({ metadata }) => manifests.get(metadata.uid) ?? '',
    finished: (uid) => pods.set(pods.all.filter(({ metadata }) => metadata.uid !== uid)),
  };
}

/** A static pod has no status for its kubelet to read. */
const withStatus = (pod: Pod, status: PodApiStatus | undefined): Pod =>
  pod.source === 'file' || status === undefined ? pod : { ...pod, status };
