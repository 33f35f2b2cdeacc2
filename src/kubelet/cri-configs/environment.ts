import { memoryBytes, milliCpu } from '../../input/quantity.js';
import { dataOf, type KubeObjects } from '../kube-objects.js';
import type { ContainerSpec, KeySource, Pod, ResourceSource } from '../types.js';
import { valueOfField } from './downward-api.js';
import { serviceVariables } from './service-variables.js';

/** What the variables of a container are made of. */
export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly podIps: readonly string[];
  readonly hostIp: string;
  readonly objects: KubeObjects;
  /** What containers without a limit have. */
  readonly allocatable: Readonly<Record<string, string>>;
}

/**
 * makeEnvironmentVariables (kubelet_pods.go). Later variables can refer to earlier ones and to those of services, and
 * override what these and `envFrom` bring. Throws when an object or key is missing.
 */
export async function environment(input: EnvironmentInput): Promise<ReadonlyMap<string, string>> {
  const { pod, container, podIps, hostIp } = input;
  const { namespace } = pod.metadata;
  const services = serviceVariables(input.objects, namespace, pod.spec.enableServiceLinks ?? true);
  const env = new Map<string, string>();
  const known = { get: (name: string) => env.get(name) ?? services.get(name) };
  for (const from of container.envFrom ?? []) {
    const data = await dataOf(input.objects, namespace, from);
    for (const [key, value] of data) env.set(from.prefix + key, value.toString());
  }
  for (const { name, value, fieldPath, source } of container.env) {
    if (fieldPath !== undefined) env.set(name, valueOfField(fieldPath, pod, podIps, hostIp));
    else if (source?.kind === 'resource') env.set(name, valueOfResource(source, input));
    else if (source === undefined) env.set(name, expand(value, known));
    else {
      const found = await valueOfKey(source, input);
      if (found !== undefined) env.set(name, found);
    }
  }
  for (const [name, value] of services) if (!env.has(name)) env.set(name, value);
  return env;
}

/** Undefined for an optional key that is missing. */
async function valueOfKey(
  source: KeySource,
  { pod, objects }: EnvironmentInput,
): Promise<string | undefined> {
  const { namespace } = pod.metadata;
  const { kind, name, key, optional } = source;
  const found = (await dataOf(objects, namespace, source)).get(key);
  if (found !== undefined || optional) return found?.toString();
  const shown = kind === 'secret' ? 'Secret' : 'ConfigMap';
  throw new Error(`couldn't find key ${key} in ${shown} ${namespace}/${name}`);
}

/** ExtractContainerResourceValue (pkg/api/v1/resource/helpers.go); a missing limit is what the node has. */
export function valueOfResource(
  { resource, container: name, divisor = '1' }: ResourceSource,
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

/** `$(NAME)` is replaced, `$$(NAME)` is a literal, an unknown name stays (third_party/forked/golang/expansion). */
export function expand(text: string, env: Pick<ReadonlyMap<string, string>, 'get'>): string {
  return text.replace(/\$(\$|\(([^)]*)\))/g, (whole, rest: string, name: string) =>
    rest === '$' ? '$' : (env.get(name) ?? whole),
  );
}
