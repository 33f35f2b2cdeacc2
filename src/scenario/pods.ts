import type { PodSource } from '../kubelet/pod-ports.js';
import { createGivenPods } from '../kubelet/pods/given-pods.js';
import { parseManifest } from '../kubelet/pods/manifest.js';
import type { Pod } from '../kubelet/types.js';
import type { LoadedPod, LoadedScenario } from './loaded-scenario.js';

/** Annotation under which the memory backend finds a container's behavior. */
const BEHAVIOR = 'behavior.mockri.dev/';

/** The pods that a scenario wants, as a source for its kubelet, which may come and go. */
export interface ScenarioPods extends PodSource {
  add(pod: LoadedPod): void;
  /** Removes a static pod's manifest, or deletes another pod, which stays until it has ended. False if it is gone already. */
  remove(name: string): boolean;
  /** Pods that the control plane would delete from a node it evicts from. */
  evictable(): readonly Pod[];
  /** The pod has ended and is forgotten. */
  finished(uid: string): void;
}

/** What the API server makes of a deletion. */
export interface Deletions {
  /** Whether the pod has ended: then it goes at once, however long it would be given (CheckGracefulDelete). */
  readonly isOver: (pod: Pod) => boolean;
  /** The pod has its deletion timestamp now. */
  readonly deleted: (pod: Pod) => void;
  readonly gone: (pod: Pod) => void;
}

/** No pods at first. */
export function createScenarioPods(
  scenario: LoadedScenario,
  now: () => bigint,
  { isOver, deleted, gone }: Deletions,
): ScenarioPods {
  const pods = createGivenPods();
  return {
    start: pods.start,
    add: (pod) => pods.set([...pods.all, ...readPods(scenario, pod, now())]),
    remove: (name) => {
      const found = pods.all.find(({ metadata }) => metadata.name === name);
      if (found === undefined) return false;
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
    evictable: () =>
      pods.all.filter(({ source, metadata }) => source === 'api' && metadata.deletionTimestamp === undefined),
    finished: (uid) => pods.set(pods.all.filter(({ metadata }) => metadata.uid !== uid)),
  };
}

/** What was read before: a scenario may run many times. */
const read = new WeakMap<LoadedPod, { readonly key: string; readonly pods: Pod[] }[]>();

/**
 * The pods of one entry of a scenario at this time (Unix nanoseconds). Throws InputError for a mistake in a manifest
 * file.
 */
export function readPods(scenario: LoadedScenario, pod: LoadedPod, now: bigint): Pod[] {
  const key = `${scenario.node} ${scenario.file} ${now}`;
  const before = read.get(pod) ?? [];
  const found = before.find((each) => each.key === key);
  if (found !== undefined) return found.pods;
  const pods = parsePods(scenario, pod, now);
  read.set(pod, [{ key, pods }, ...before].slice(0, MOST_READ));
  return pods;
}

/** Times at which one entry of a scenario was read that are remembered. */
const MOST_READ = 4;

function parsePods(scenario: LoadedScenario, pod: LoadedPod, now: bigint): Pod[] {
  const text =
    pod.file === undefined ? JSON.stringify(pod.manifest) : (scenario.manifests.get(pod.file) ?? '');
  const file = pod.file ?? scenario.file;
  const { pods } = parseManifest(text, file, { nodeName: scenario.node, now, mayReferToApi: !pod.static });
  return pods.map((made) =>
    withBehaviors(pod.static ? made : withoutObjects(asApiPod(made, scenario.node)), pod.behaviors),
  );
}

/** Without what only a static pod has, as is the node's name at its end; told apart from others by its ending. */
function asApiPod(pod: Pod, node: string): Pod {
  const name = pod.metadata.name.slice(0, -node.length - 1);
  const { 'kubernetes.io/config.hash': _hash, ...kept } = pod.metadata.annotations;
  const annotations = { ...kept, 'kubernetes.io/config.source': 'api' };
  return { ...pod, source: 'api', metadata: { ...pod.metadata, name, annotations } };
}

/** A scenario has no ConfigMaps, Secrets and tokens: variables and volumes from them are empty. */
function withoutObjects(pod: Pod): Pod {
  const container = <C extends Pod['spec']['containers'][number]>(given: C): C => ({
    ...given,
    envFrom: undefined,
    env: given.env.map(({ name, value, valueFrom: { fieldRef, resourceFieldRef } = {} }) => ({
      name,
      value,
      ...((fieldRef ?? resourceFieldRef) && { valueFrom: { fieldRef, resourceFieldRef } }),
    })),
  });
  const { initContainers, containers, volumes } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      imagePullSecrets: undefined,
      initContainers: initContainers.map(container),
      containers: containers.map(container),
      volumes: volumes.map(({ configMap: _, secret: __, projected, ...volume }) => ({
        ...volume,
        ...(projected && {
          projected: {
            sources: projected.sources.flatMap(({ downwardAPI }) => (downwardAPI ? [{ downwardAPI }] : [])),
          },
        }),
      })),
    },
  };
}

function withBehaviors(pod: Pod, behaviors: Readonly<Record<string, string>>): Pod {
  const added = Object.fromEntries(
    Object.entries(behaviors).map(([container, behavior]) => [`${BEHAVIOR}${container}`, behavior]),
  );
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...added } },
  };
}
