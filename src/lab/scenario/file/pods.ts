import { ownVolumes } from '../../../kubelet/kubernetes/own-volumes.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import { parseManifest } from '../../../kubelet/pods/manifest.js';
import { podText } from '../../../tape/pod-text.js';
import type { LoadedPod, LoadedScenario } from './loaded-scenario.js';

/** Annotation under which the memory backend finds a container's behavior. */
const BEHAVIOR = 'behavior.mockri.dev/';

/** The pod that is called so: `web` in the namespace `default` or, if there is none, in another one; or `blue/web`. */
export const findPod = <P extends Pick<Pod, 'metadata'>>(pods: readonly P[], name: string): P | undefined =>
  pods.find(({ metadata }) => podText(metadata) === name) ??
  pods.find(({ metadata }) => metadata.name === name);

/** What an entry of a scenario is. */
export interface ReadEntry {
  /** As at the time 0. */
  readonly pods: readonly Pod[];
  /** Their manifests with the behaviors of their containers, by uid. */
  readonly objects: ReadonlyMap<string, Annotated>;
}

interface Annotated {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly spec: { readonly volumes?: readonly object[] | undefined };
}

/** What was read before: a scenario may run many times. */
const known = new WeakMap<LoadedPod, { readonly key: string; readonly read: ReadEntry }>();

/** The pods of one entry of a scenario, as at the time 0. Throws InputError for a mistake in a manifest file. */
export const readPods = (scenario: LoadedScenario, entry: LoadedPod): readonly Pod[] =>
  readEntry(scenario, entry).pods;

/** The names of all pods that a scenario has at its start or adds later, as tables show them. */
export const podNames = (scenario: LoadedScenario): readonly string[] =>
  [...scenario.pods, ...scenario.timeline.flatMap(({ do: { addPod } }) => addPod ?? [])]
    .flatMap((entry) => readPods(scenario, entry))
    .map(({ metadata }) => podText(metadata));

/** Reads an entry, once. Throws InputError for a mistake in a manifest file. */
export function readEntry(scenario: LoadedScenario, entry: LoadedPod): ReadEntry {
  const key = `${scenario.node} ${scenario.file}`;
  const found = known.get(entry);
  if (found?.key === key) return found.read;
  const read = parseEntry(scenario, entry);
  known.set(entry, { key, read });
  return read;
}

function parseEntry(scenario: LoadedScenario, entry: LoadedPod): ReadEntry {
  const text =
    entry.file === undefined ? JSON.stringify(entry.manifest) : (scenario.manifests.get(entry.file) ?? '');
  const file = entry.file ?? scenario.file;
  const options = { nodeName: scenario.node, now: 0n, mayReferToApi: !entry.static };
  const { pods, objects } = parseManifest(text, file, options);
  const made = entry.static ? pods : pods.map((pod) => asApiPod(pod, scenario.node));
  return {
    pods: made.map((pod) => withBehaviors(pod, entry)),
    objects: new Map(
      [...objects].map(([uid, object]) => [uid, withBehaviors(withOwnVolumes(object), entry)]),
    ),
  };
}

/** Without what only a static pod has, as is the node's name at its end; told apart from others by its ending. */
function asApiPod(pod: Pod, node: string): Pod {
  const name = pod.metadata.name.slice(0, -node.length - 1);
  const { 'kubernetes.io/config.hash': _hash, ...kept } = pod.metadata.annotations;
  const annotations = { ...kept, 'kubernetes.io/config.source': 'api' };
  // Secrets with credentials of registries are not simulated.
  const spec = { ...pod.spec, imagePullSecrets: undefined };
  return { ...pod, source: 'api', metadata: { ...pod.metadata, name, annotations }, spec };
}

/** For a kubelet that is a program: a scenario says what happens, and its pods are given nothing of the machine. */
const withOwnVolumes = (object: Annotated): Annotated => ({
  ...object,
  spec: { ...object.spec, volumes: ownVolumes(object.spec.volumes ?? []) },
});

function withBehaviors<O extends Annotated>(object: O, { behaviors }: LoadedPod): O {
  const added = Object.entries(behaviors).map(([container, text]) => [`${BEHAVIOR}${container}`, text]);
  const annotations = { ...object.metadata?.annotations, ...Object.fromEntries(added) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
