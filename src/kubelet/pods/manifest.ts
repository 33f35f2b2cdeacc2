import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { InputError, type InputProblem, readYaml } from '../../base/input/yaml.js';
import { type Fields, strict } from '../kubernetes/fields.js';
import { findWithoutEffect } from '../kubernetes/fields-without-effect.js';
import { type ManifestPodSchema, manifestSchema, type Pod, type PodSpec } from '../kubernetes/pod.js';
import { withHostPorts } from '../kubernetes/ports.js';
import { toNanoTime } from '../kubernetes/time.js';
import { apiReferenceOf } from './api-references.js';

/** Data of a static pod that is not in its manifest (config/common.go applyDefaults). */
export interface ManifestOptions {
  /** Appended to the name of every static pod. */
  readonly nodeName: string;
  /** When the manifest was first seen, in Unix nanoseconds. */
  readonly now: bigint;
  /** The same manifest at another path is a different pod. */
  readonly path?: string;
  /** Whether pods may refer to API objects, as with PreventStaticPodAPIReferences off. Default false. */
  readonly mayReferToApi?: boolean;
  /** Whether the node admits pods, so that node selectors have an effect. Default false. */
  readonly isAdmitted?: boolean;
  /** What happens to unknown fields. Default: they are errors. */
  readonly fields?: Fields;
}

export interface Manifest {
  readonly pods: readonly Pod[];
  readonly objects: ReadonlyMap<string, ManifestObject>;
  readonly warnings: readonly string[];
}

/** A v1.Pod as written, without defaults. */
export type ManifestObject = z.input<ManifestPodSchema>;

type CheckedPod = z.output<ManifestPodSchema>;

/**
 * Parses the static pods in a YAML or JSON file, and sets the defaults of the API server and of the kubelet's file
 * source (config/common.go applyDefaults). Throws InputError with the line of each mistake.
 */
export function parseManifest(text: string, file: string, options: ManifestOptions): Manifest {
  const { value, written, problem } = readYaml(text, manifestSchema(options.fields ?? strict), file);
  const isList = value.kind !== 'Pod';
  const checked = value.kind === 'Pod' ? [value] : value.items;
  const objects = written.kind === 'Pod' ? [written] : written.items;
  if (!options.mayReferToApi) {
    const problems = checked.flatMap(({ spec }, index) =>
      refusalOf(spec, isList ? ['items', index, 'spec'] : ['spec'], problem),
    );
    if (problems.length > 0) throw new InputError(problems);
  }
  const inVain = new Set(objects.flatMap((object) => findWithoutEffect(object, options.isAdmitted ?? false)));
  const warnings = inVain.size > 0 ? [`${file}: no effect here: ${[...inVain].join(', ')}`] : [];
  const pods = checked.map((pod) => toPod(pod, options));
  const byUid = pods.map(({ metadata }, index) => [metadata.uid, objects[index]] as const);
  return {
    pods,
    objects: new Map(byUid.flatMap(([uid, object]) => (object ? [[uid, object]] : []))),
    warnings,
  };
}

const SEEN = 'kubernetes.io/config.seen';

export const seenAt = (pod: Pod, now: bigint): Pod => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    annotations: { ...pod.metadata.annotations, [SEEN]: toNanoTime(now) },
    creationTimestamp: now,
  },
});

function refusalOf(
  spec: PodSpec,
  path: readonly (string | number)[],
  problem: (path: (string | number)[], message: string) => InputProblem,
): InputProblem[] {
  const found = apiReferenceOf(spec);
  if (found === undefined) return [];
  return [problem([...path, ...found.path], `static pods may not reference ${found.resource}`)];
}

function toPod({ metadata, spec }: CheckedPod, { nodeName, now, path }: ManifestOptions): Pod {
  const uid = metadata.uid ?? uidOf({ metadata, spec, nodeName, path });
  const annotations = {
    ...metadata.annotations,
    'kubernetes.io/config.hash': uid,
    [SEEN]: toNanoTime(now),
    'kubernetes.io/config.source': 'file',
  };
  const { namespace, labels } = metadata;
  const name = `${metadata.name}-${nodeName.toLowerCase()}`;
  const withPorts = <C extends PodSpec['containers'][number]>(container: C): C => ({
    ...container,
    ports: withHostPorts(container.ports, spec.hostNetwork),
  });
  return {
    metadata: {
      name,
      namespace,
      uid,
      labels,
      annotations,
      creationTimestamp: now,
      deletionTimestamp: undefined,
    },
    source: 'file',
    spec: {
      ...spec,
      nodeName,
      initContainers: spec.initContainers.map(withPorts),
      containers: spec.containers.map(withPorts),
      // Only the API adds them, to a running pod.
      ephemeralContainers: undefined,
    },
  };
}

/** 32 hex digits that depend on the whole manifest, the node and the file. */
function uidOf(pod: object): string {
  return createHash('sha256').update(JSON.stringify(pod)).digest('hex').slice(0, 32);
}
