import { loadYaml } from '../input/yaml-document.js';
import type { PodSource } from '../kubelet/pod-ports.js';
import { createGivenPods } from '../kubelet/pods/given-pods.js';
import { parseManifest } from '../kubelet/pods/manifest.js';
import type { Pod } from '../kubernetes/pod.js';
import { podText } from '../tape/pod-text.js';
import type { LoadedPod, LoadedScenario } from './loaded-scenario.js';

/** Annotation under which the memory backend finds a container's behavior. */
const BEHAVIOR = 'behavior.mockri.dev/';

/** The pods that a scenario wants, as a source for its kubelet, which may come and go. */
export interface ScenarioPods extends PodSource {
  add(pod: LoadedPod): void;
  /**
   * Removes a static pod's manifest, or deletes another pod, which stays until it has ended. `name` is `web`, or `blue/web`.
   * False if it is gone already.
   */
  remove(name: string): boolean;
  /** Pods that the control plane would delete from a node it evicts from. */
  evictable(): readonly Pod[];
  /** The pod has ended and is forgotten. */
  finished(uid: string): void;
  /** The manifest of one of the pods as JSON, with the behaviors of its containers. */
  manifestOf(pod: Pod): string;
}

/** What the API server makes of a deletion. */
export interface Deletions {
  /** Whether the pod has ended: then it goes at once, however long it would be given (CheckGracefulDelete). */
  readonly isOver: (pod: Pod) => boolean;
  /** The pod is asked to end. */
  readonly ended: (pod: Pod) => void;
  /** The pod has its deletion timestamp now. */
  readonly deleted: (pod: Pod) => void;
  readonly gone: (pod: Pod) => void;
}

/** No pods at first. */
export function createScenarioPods(
  scenario: LoadedScenario,
  now: () => bigint,
  { isOver, ended, deleted, gone }: Deletions,
): ScenarioPods {
  const pods = createGivenPods();
  const sources = new Map<string, { readonly entry: LoadedPod; readonly index: number }>();
  return {
    start: pods.start,
    add: (entry) => {
      const added = readPods(scenario, entry, now());
      for (const [index, { metadata }] of added.entries()) sources.set(metadata.uid, { entry, index });
      pods.set([...pods.all, ...added]);
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
    evictable: () =>
      pods.all.filter(({ source, metadata }) => source === 'api' && metadata.deletionTimestamp === undefined),
    manifestOf: ({ metadata }) => {
      const source = sources.get(metadata.uid);
      const texts = source && manifestsOf(source.entry, scenario.manifests);
      return texts?.[source?.index ?? 0] ?? '';
    },
    finished: (uid) => pods.set(pods.all.filter(({ metadata }) => metadata.uid !== uid)),
  };
}

/** The pod that is called so: `web` in the namespace `default` or, if there is none, in another one; or `blue/web`. */
export const findPod = <P extends Pick<Pod, 'metadata'>>(pods: readonly P[], name: string): P | undefined =>
  pods.find(({ metadata }) => podText(metadata) === name) ??
  pods.find(({ metadata }) => metadata.name === name);

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

interface Manifest {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly items?: readonly Manifest[];
}

/** The manifests of an entry of a scenario as JSON, one pod each, in their order. */
function manifestsOf({ file, manifest, behaviors }: LoadedPod, texts: ReadonlyMap<string, string>): string[] {
  const documents: Manifest[] =
    file === undefined
      ? [manifest as Manifest]
      : loadYaml()
          .parseAllDocuments(texts.get(file) ?? '')
          .flatMap((document) => ('toJS' in document ? [document.toJS() as Manifest] : []));
  const added = Object.entries(behaviors).map(([name, text]) => [`${BEHAVIOR}${name}`, text]);
  return documents
    .flatMap((document) => document.items ?? [document])
    .map(({ metadata, ...rest }) => {
      const annotations = { ...metadata?.annotations, ...Object.fromEntries(added) };
      return JSON.stringify({ ...rest, metadata: { ...metadata, annotations } });
    });
}
