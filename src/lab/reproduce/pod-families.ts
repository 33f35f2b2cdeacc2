import { append } from '../../base/input/group-by.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { LoadedPod, LoadedScenario } from '../scenario/file/loaded-scenario.js';
import { readPods } from '../scenario/file/pods.js';
import type { OwnerReference } from '../scenario/manifests/objects.js';
import { uidOf } from '../scenario/manifests/pod-names.js';
import type { MadePod } from '../scenario/manifests/templates.js';

export interface PodFamily {
  /** Indices of its entries in the scenario; empty for a pod of the timeline. */
  readonly entries: readonly number[];
  readonly namespace: string;
  readonly names: readonly string[];
  readonly owns: (name: string) => boolean;
  /** Creates the pod under another name; undefined for a single pod. */
  readonly make: ((name: string) => LoadedPod) | undefined;
}

/** Letters of generated names (apimachinery util/rand), and the digits of template hashes before 1.8. */
const LETTERS = '[bcdfghjklmnpqrstvwxz0-9]';
const SUFFIX = `${LETTERS}{5}`;
/** Pod template hash: 32 bits as letters (rand.SafeEncodeString). */
const HASH = `${LETTERS}{8,10}`;
const GENERATED = new RegExp(`(?:-${HASH})?-${SUFFIX}$`);

type Manifest = Partial<Pick<MadePod, 'metadata'>>;

export function familiesOf(scenario: LoadedScenario): PodFamily[] {
  const byOwner = new Map<string, number[]>();
  for (const [index, { manifest }] of scenario.pods.entries()) {
    const owner = (manifest as Manifest | undefined)?.metadata?.ownerReferences?.[0];
    const key = owner === undefined ? `entry ${index}` : `${owner.uid} ${owner.kind} ${owner.name}`;
    append(byOwner, key, index);
  }
  const added = scenario.timeline.flatMap(({ do: { addPod } }) => addPod ?? []);
  return [
    ...[...byOwner.values()].flatMap((entries) => familyOf(scenario, entries)),
    ...added.flatMap((entry) =>
      readPods(scenario, entry).map((pod) => single(scenario, pod, [], entry.static)),
    ),
  ];
}

function familyOf(scenario: LoadedScenario, entries: readonly number[]): PodFamily[] {
  const loaded = entries.flatMap((index) => scenario.pods[index] ?? []);
  const [entry] = loaded;
  const metadata = (entry?.manifest as Manifest | undefined)?.metadata;
  const pods = loaded.flatMap((each) => readPods(scenario, each));
  const [first] = pods;
  // A pod from a cluster has a uid of that cluster.
  const isMade =
    first !== undefined && metadata?.uid === uidOf(first.metadata.namespace, first.metadata.name);
  if (entry === undefined || first === undefined || !isMade || metadata?.ownerReferences === undefined)
    return pods.map((pod, index) =>
      single(scenario, pod, index === 0 ? entries : [], entry?.static === true),
    );
  const pattern = new RegExp(`^${templatePattern(metadata)}$`);
  return [
    {
      entries,
      namespace: first.metadata.namespace,
      names: pods.map((pod) => pod.metadata.name),
      owns: (name) => pattern.test(name),
      make: (name) => renamed(entry, first.metadata.namespace, name),
    },
  ];
}

/** A pod without a controller; a static pod's name ends with its node's. */
function single(
  { node }: LoadedScenario,
  { metadata }: Pod,
  entries: readonly number[],
  isStatic: boolean,
): PodFamily {
  const { name, namespace } = metadata;
  const stem = name.replace(GENERATED, '');
  return {
    entries,
    namespace,
    names: [name],
    owns: (seen) =>
      isStatic ? seen.startsWith(name.slice(0, -node.length)) : seen.replace(GENERATED, '') === stem,
    make: undefined,
  };
}

function templatePattern({ labels = {}, ownerReferences = [] }: NonNullable<Manifest['metadata']>): string {
  const { kind, name } = ownerReferences[0] as OwnerReference;
  const hash = labels['pod-template-hash'];
  if (kind === 'StatefulSet') return `${literal(name)}-\\d+`;
  if (kind === 'ReplicaSet' && hash !== undefined)
    return `${literal(name.slice(0, -hash.length))}${HASH}-${SUFFIX}`;
  // A CronJob's job has the time in minutes, an indexed job the index.
  if (kind === 'Job') return `${literal(name).replace(/-\d{8,}$/, '-\\d{8,10}')}(?:-\\d+)?-${SUFFIX}`;
  return `${literal(name)}-${SUFFIX}`;
}

const literal = (text: string): string => text.replace(/[.\\^$*+?()[\]{}|]/g, '\\$&');

function renamed(entry: LoadedPod, namespace: string, name: string): LoadedPod {
  const { metadata, spec, ...rest } = entry.manifest as MadePod;
  const ordinal = metadata.ownerReferences?.[0]?.kind === 'StatefulSet' ? /\d+$/.exec(name)?.[0] : undefined;
  const labels = {
    ...metadata.labels,
    ...(ordinal !== undefined && {
      'apps.kubernetes.io/pod-index': ordinal,
      'statefulset.kubernetes.io/pod-name': name,
    }),
  };
  return {
    ...entry,
    manifest: {
      ...rest,
      metadata: { ...metadata, name, uid: uidOf(namespace, name), labels },
      spec: { ...spec, ...(ordinal !== undefined && { hostname: name }) },
    },
  };
}
