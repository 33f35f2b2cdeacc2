import { fieldsFor } from '../../../kubelet/kubernetes/fields.js';
import { ownVolumes } from '../../../kubelet/kubernetes/own-volumes.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import { parseManifest } from '../../../kubelet/pods/manifest.js';
import { podText } from '../../../tape/pod-text.js';
import type { LoadedPod, LoadedScenario } from './loaded-scenario.js';

/** Annotation in which the memory backend finds a container's behavior. */
const BEHAVIOR = 'behavior.mockri.dev/';

/** `web` means the pod in namespace `default`, otherwise one in another namespace; `blue/web` is explicit. */
export const findPod = <P extends Pick<Pod, 'metadata'>>(pods: readonly P[], name: string): P | undefined =>
  pods.find(({ metadata }) => podText(metadata) === name) ??
  pods.find(({ metadata }) => metadata.name === name);

export interface ReadEntry {
  /** At time 0. */
  readonly pods: readonly Pod[];
  readonly objects: ReadonlyMap<string, Annotated>;
}

interface Annotated {
  readonly metadata?:
    | { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> | undefined }
    | undefined;
  readonly spec: { readonly volumes?: readonly object[] | undefined };
}

const known = new WeakMap<LoadedPod, { readonly key: string; readonly read: ReadEntry }>();

/** At time 0. Throws InputError for a mistake in a manifest file. */
export const readPods = (scenario: LoadedScenario, entry: LoadedPod): readonly Pod[] =>
  readEntry(scenario, entry).pods;

/** Entries of the pods at the start and of those added later. */
export const allEntries = ({ pods, timeline }: LoadedScenario): readonly LoadedPod[] => [
  ...pods,
  ...timeline.flatMap(({ do: { addPod } }) => addPod ?? []),
];

/** All pods at the start or added later. */
export const allPods = (scenario: LoadedScenario): readonly Pod[] =>
  allEntries(scenario).flatMap((entry) => readPods(scenario, entry));

/** Names of all pods at the start or added later, as tables show them. */
export const podNames = (scenario: LoadedScenario): readonly string[] =>
  allPods(scenario).map(({ metadata }) => podText(metadata));

/** Cached. Throws InputError for a mistake in a manifest file. */
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
  const options = {
    nodeName: scenario.node,
    now: 0n,
    mayReferToApi: !entry.static,
    fields: fieldsFor(scenario),
  };
  const { pods, objects } = parseManifest(text, file, options);
  const made = entry.static ? pods : pods.map((pod) => asApiPod(pod, scenario.node));
  return {
    pods: made.map((pod) => withBehaviors(pod, entry)),
    objects: new Map(
      [...objects].map(([uid, object]) => [uid, withBehaviors(withOwnVolumes(object), entry)]),
    ),
  };
}

/** Removes what only a static pod has, including the node name's suffix. */
function asApiPod(pod: Pod, node: string): Pod {
  const name = pod.metadata.name.slice(0, -node.length - 1);
  const { 'kubernetes.io/config.hash': _hash, ...kept } = pod.metadata.annotations;
  const annotations = { ...kept, 'kubernetes.io/config.source': 'api' };
  // Registry credentials are not simulated.
  const spec = { ...pod.spec, imagePullSecrets: undefined };
  return { ...pod, source: 'api', metadata: { ...pod.metadata, name, annotations }, spec };
}

/** For a kubelet program: pods must not get anything of this machine. */
const withOwnVolumes = (object: Annotated): Annotated => ({
  ...object,
  spec: { ...object.spec, volumes: ownVolumes(object.spec.volumes ?? []) },
});

function withBehaviors<O extends Annotated>(object: O, { behaviors }: LoadedPod): O {
  const added = Object.entries(behaviors).map(([container, text]) => [`${BEHAVIOR}${container}`, text]);
  const annotations = { ...object.metadata?.annotations, ...Object.fromEntries(added) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
