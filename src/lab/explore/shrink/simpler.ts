import type { LoadedPod, LoadedScenario } from '../../scenario/file/loaded-scenario.js';

export function* simpler(scenario: LoadedScenario): Generator<LoadedScenario> {
  const { pods, timeline, faults, kubelet, latency, expect } = scenario;
  for (const index of pods.keys()) if (pods.length > 1) yield { ...scenario, ...withoutPod(scenario, index) };
  for (const index of timeline.keys()) yield { ...scenario, timeline: without(timeline, index) };
  for (const index of faults.keys()) yield { ...scenario, faults: without(faults, index) };
  for (const [index, pod] of pods.entries())
    for (const made of simplerPods(pod))
      yield { ...scenario, pods: pods.map((each, at) => (at === index ? made : each)) };
  for (const name of Object.keys(kubelet.config))
    yield { ...scenario, kubelet: { ...kubelet, config: withoutKey(kubelet.config, name) } };
  for (const name of Object.keys(kubelet.featureGates))
    yield { ...scenario, kubelet: { ...kubelet, featureGates: withoutKey(kubelet.featureGates, name) } };
  if (typeof latency === 'object')
    for (const name of Object.keys(latency)) yield { ...scenario, latency: withoutKey(latency, name) };
  if (latency !== 'profile') yield { ...scenario, latency: 'profile' };
  const until = Math.ceil(scenario.until / 2000) * 1000;
  const last = Math.max(0, ...timeline.map(({ at }) => at));
  if (until < scenario.until && until > last && expect.rows.length === 0) yield { ...scenario, until };
}

const without = <T>(list: readonly T[], index: number): T[] => list.filter((_, at) => at !== index);

function withoutKey<T>(given: Readonly<Record<string, T>>, name: string): Record<string, T> {
  const { [name]: _, ...rest } = given;
  return rest;
}

interface PodManifest {
  readonly metadata?: { readonly name?: string };
  readonly spec?: PodSpec;
}

type PodSpec = Readonly<Record<string, unknown>> & {
  readonly containers?: readonly ContainerManifest[];
  readonly initContainers?: readonly ContainerManifest[];
};

type ContainerManifest = Readonly<Record<string, unknown>> & { readonly name?: string };

function withoutPod(
  { pods, timeline }: LoadedScenario,
  index: number,
): Pick<LoadedScenario, 'pods' | 'timeline'> {
  const name = (pods[index]?.manifest as PodManifest | undefined)?.metadata?.name;
  const isAbout = (given: string | undefined) => name !== undefined && given?.startsWith(name) === true;
  return {
    pods: without(pods, index),
    timeline: timeline.filter(
      ({ do: { removePod, exitContainer } }) => !isAbout(removePod ?? exitContainer?.pod),
    ),
  };
}

function behaviorsOf({ behaviors }: LoadedPod, { containers = [], initContainers = [] }: PodSpec) {
  const names = new Set([...initContainers, ...containers].map(({ name }) => name));
  return Object.fromEntries(Object.entries(behaviors).filter(([name]) => names.has(name)));
}

/** Variants of a pod with one container or field less. Manifests in files stay unchanged. */
function* simplerPods(pod: LoadedPod): Generator<LoadedPod> {
  const manifest = pod.manifest as PodManifest | undefined;
  const { containers = [], ...rest } = manifest?.spec ?? {};
  if (manifest === undefined) return;
  const withSpec = (spec: PodSpec): LoadedPod => ({
    ...pod,
    manifest: { ...manifest, spec },
    behaviors: behaviorsOf(pod, spec),
  });
  for (const index of containers.keys())
    if (containers.length > 1) yield withSpec({ ...rest, containers: without(containers, index) });
  for (const name of Object.keys(rest)) yield withSpec({ ...withoutKey(rest, name), containers });
  for (const [index, container] of containers.entries())
    for (const field of Object.keys(container))
      if (field !== 'name' && field !== 'image')
        yield withSpec({
          ...rest,
          containers: containers.map((each, at) => (at === index ? withoutKey(each, field) : each)),
        });
}
