import { memoryBytes, milliCpu } from '../../base/input/quantity.js';
import { dataOf, type KubeObjects } from '../kube-objects.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { EnvVar, ResourceFieldRef } from '../kubernetes/environment.js';
import type { Pod } from '../kubernetes/pod.js';
import { StartError } from '../types/ports.js';
import { valueOfField } from './downward-api.js';
import { serviceVariables } from './service-variables.js';

export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly podIps: readonly string[];
  readonly hostIp: string;
  readonly objects: KubeObjects;
  /** Replaces missing limits. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/**
 * makeEnvironmentVariables (kubelet_pods.go). Later variables can refer to earlier ones and to service variables, and
 * override both those and `envFrom`. Throws when an object or key is missing.
 */
export async function environment(input: EnvironmentInput): Promise<ReadonlyMap<string, string>> {
  const { pod, container } = input;
  const { namespace } = pod.metadata;
  const services = serviceVariables(input.objects, namespace, pod.spec.enableServiceLinks ?? true);
  const env = new Map<string, string>();
  const room = new TextRoom();
  const known = { get: (name: string) => env.get(name) ?? services.get(name) };
  for (const { prefix, configMapRef, secretRef } of container.envFrom ?? []) {
    for (const [kind, ref] of [
      ['configMap', configMapRef],
      ['secret', secretRef],
    ] as const) {
      if (ref === undefined) continue;
      const data = await dataOf(input.objects, kind, namespace, ref);
      for (const [key, value] of data) env.set(prefix + key, room.take(value.toString()));
    }
  }
  for (const { name, value, valueFrom } of container.env) {
    if (valueFrom === undefined) env.set(name, expand(value, known, room));
    else {
      const found = await valueOfSource(valueFrom, input);
      if (found !== undefined) env.set(name, room.take(found));
    }
  }
  for (const [name, value] of services) if (!env.has(name)) env.set(name, value);
  return env;
}

/** Undefined for a missing optional key; empty for a source without effect here. */
async function valueOfSource(
  { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef }: NonNullable<EnvVar['valueFrom']>,
  input: EnvironmentInput,
): Promise<string | undefined> {
  const { pod, podIps, hostIp } = input;
  if (fieldRef !== undefined) return valueOfField(fieldRef.fieldPath, pod, podIps, hostIp);
  if (resourceFieldRef !== undefined) return valueOfResource(resourceFieldRef, input);
  if (configMapKeyRef !== undefined) return valueOfKey('configMap', configMapKeyRef, input);
  return secretKeyRef === undefined ? '' : valueOfKey('secret', secretKeyRef, input);
}

async function valueOfKey(
  kind: 'configMap' | 'secret',
  ref: { readonly name: string; readonly key: string; readonly optional: boolean },
  { pod, objects }: EnvironmentInput,
): Promise<string | undefined> {
  const { namespace } = pod.metadata;
  const { name, key, optional } = ref;
  const found = (await dataOf(objects, kind, namespace, ref)).get(key);
  if (found !== undefined || optional) return found?.toString();
  const shown = kind === 'secret' ? 'Secret' : 'ConfigMap';
  throw new Error(`couldn't find key ${key} in ${shown} ${namespace}/${name}`);
}

/** ExtractContainerResourceValue (pkg/api/v1/resource/helpers.go); missing limits default to the allocatable. */
export function valueOfResource(
  { resource, containerName: name, divisor = '1' }: ResourceFieldRef,
  {
    pod,
    container,
    allocatable,
  }: Pick<EnvironmentInput, 'pod' | 'allocatable'> & { readonly container?: ContainerSpec },
): string {
  const all = [...pod.spec.initContainers, ...pod.spec.containers];
  const wanted = name === undefined || name === '' ? container : all.find((each) => each.name === name);
  if (wanted === undefined) throw new Error(`container ${name ?? ''} not found`);
  const [list = '', kind = ''] = resource.split(/\.(.*)/s);
  const { limits, requests } = wanted.resources;
  const amount = list === 'limits' ? (limits[kind] ?? allocatable[kind]) : requests[kind];
  const unit = divisor === '0' ? '1' : divisor;
  if (kind === 'cpu') return String(Math.ceil((milliCpu(amount) ?? 0) / (milliCpu(unit) ?? 1000)));
  const [bytes, each] = [memoryBytes(amount) ?? 0n, memoryBytes(unit) ?? 1n];
  return String((bytes + each - 1n) / each);
}

/** Characters that the variables of a container, or its command, can have: no program could start with more. */
const LARGEST = 2 * 1024 * 1024;

/** Counts the characters that references add: a short text that refers to others can become any length. */
export class TextRoom {
  #left = LARGEST;

  /** Throws StartError if the texts have more than LARGEST characters together. */
  take(text: string): string {
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    throw new StartError('CreateContainerConfigError', `variables add more than ${LARGEST} characters`);
  }
}

/** `$(NAME)` is replaced, `$$(NAME)` is a literal, an unknown name stays (third_party/forked/golang/expansion). */
export function expand(text: string, env: Pick<ReadonlyMap<string, string>, 'get'>, room: TextRoom): string {
  return text.replace(/\$(\$|\(([^)]*)\))/g, (whole, rest: string, name: string) =>
    room.take(rest === '$' ? '$' : (env.get(name) ?? whole)),
  );
}
