import { isObject } from '../../base/input/object.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { KubeletVersion } from '../types/version.js';

/** `name_namespace(uid)`, the pod name in the kubelet's messages (util/format/pod.go). */
export function formatPod(pod: Pod): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
}

/**
 * Value of the annotation io.kubernetes.container.hash: FNV-1a-32 over a dump of the container's JSON, in lower-case
 * hex (kubelet container/helpers.go HashContainer). From 1.31 on it covers only the image and the name.
 */
export function hashContainer(
  container: ContainerSpec,
  version: Pick<KubeletVersion, 'containerHash'>,
): string {
  const covered =
    version.containerHash === 'whole' ? container : { image: container.image, name: container.name };
  const bytes = Buffer.from(goJson(covered));
  return fnv1a32(`([]uint8)[${[...bytes].join(' ')}]`).toString(16);
}

/** kuberuntime/helpers.go GetStableKey, GetBackoffKey. */
export function backOffKey(
  pod: Pod,
  container: ContainerSpec,
  version: Pick<KubeletVersion, 'backOffKey' | 'containerHash'>,
): string {
  const { name, namespace, uid } = pod.metadata;
  if (version.backOffKey === 'stable') {
    return `${name}_${namespace}_${uid}_${container.name}_${hashContainer(container, version)}`;
  }
  const parts = [name, namespace, uid, container.name, container.image, goJson(container.resources)];
  return fnv1a64(parts.join('/')).toString(16);
}

/** Sorts keys and escapes `<`, `>` and `&` like Go's encoder. */
function goJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isObject(part) ? sorted(part) : part)).replace(
    /[<>&]/g,
    (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
  );
}

const sorted = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
