import { BEHAVIOR_ANNOTATION } from '../../../../adapters/memory/containers/choose-behavior.js';
import { parseBehavior } from '../../../linux/behavior/parse-behavior.js';
import { annotationRules, FAULT_ANNOTATION } from '../../../runtime/faults/pod-annotations.js';
import { attempt, type Note, noContainer, type Path } from './mistakes.js';

interface AnnotatedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> | undefined } | undefined;
  readonly spec: {
    readonly initContainers?: readonly { readonly name: string }[] | undefined;
    readonly containers: readonly { readonly name: string }[];
  };
}

/** Checks Mockri's annotations of a manifest: a pod or a list of pods. */
export function checkManifestAnnotations(manifest: unknown, path: Path, note: Note): void {
  const { items } = manifest as { readonly items?: readonly AnnotatedPod[] };
  if (items === undefined) checkAnnotations(manifest as AnnotatedPod, path, note);
  for (const [index, pod] of (items ?? []).entries()) checkAnnotations(pod, [...path, 'items', index], note);
}

export function checkAnnotations({ metadata, spec }: AnnotatedPod, path: Path, note: Note): void {
  const containers = [...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name);
  for (const [key, value] of Object.entries(metadata?.annotations ?? {})) {
    const place = [...path, 'metadata', 'annotations', key];
    if (key.startsWith(BEHAVIOR_ANNOTATION)) checkBehavior(key, String(value), containers, place, note);
    if (key.startsWith(FAULT_ANNOTATION))
      attempt(place, note, () => annotationRules(key, String(value), { name: 'pod' }));
  }
}

function checkBehavior(
  key: string,
  value: string,
  containers: readonly string[],
  place: Path,
  note: Note,
): void {
  const name = key.slice(BEHAVIOR_ANNOTATION.length);
  if (!containers.includes(name)) note(place, noContainer(name, containers));
  attempt(place, note, () => parseBehavior(value, 'behavior'));
}
