import { InputError } from '../../../base/input/yaml.js';
import { ContainerConfig } from '../../../cri/gen/runtime/v1/api.js';
import { containerLabels } from '../../../kubelet/client/labels.js';
import { linuxResources } from '../../../kubelet/cri-configs/container-config.js';
import { sandboxConfig } from '../../../kubelet/cri-configs/sandbox-config.js';
import type { ContainerSpec } from '../../../kubelet/kubernetes/container.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import { podText } from '../../../tape/pod-text.js';
import { parseScenario } from '../../scenario/file/load.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import { allPods } from '../../scenario/file/pods.js';
import { loadSubject } from '../subject/subject.js';
import type { LifePod } from './life.js';

export interface PluginPods {
  readonly pods: readonly LifePod[];
  /** In a scenario's notation; undefined for the built-in pods. */
  readonly written: readonly object[] | undefined;
}

/** Reads pods from manifests; without any, uses three built-in pods. Throws InputError with file and line. */
export async function loadPluginPods(files: readonly string[]): Promise<PluginPods> {
  if (files.length === 0) return writtenPods(undefined, '');
  const scenario = await loadSubject(files);
  if (!scenario.isMade)
    throw new InputError([
      `${files.join(', ')}: with --plugin, expected manifests of pods or a plugin incident`,
    ]);
  return { pods: lifePods(scenario), written: scenario.pods };
}

export async function writtenPods(written: readonly object[] | undefined, file: string): Promise<PluginPods> {
  const scenario = { version: 1, title: 'pods', pods: written ?? DEFAULT_PODS, until: '1m' };
  return { pods: lifePods(await parseScenario(JSON.stringify(scenario), file)), written };
}

const lifePods = (scenario: LoadedScenario): LifePod[] => allPods(scenario).map(lifePod);

const lifePod = (pod: Pod): LifePod => ({
  name: podText(pod.metadata),
  config: sandboxConfig(pod, 0, ''),
  containers: pod.spec.containers.map((container) => ({
    name: container.name,
    config: configOf(pod, container),
  })),
});

/** Omits features of the kubelet: volumes, probes, and variables that refer to other objects. */
const configOf = (pod: Pod, container: ContainerSpec): ContainerConfig =>
  ContainerConfig.fromPartial({
    image: { image: container.image, userSpecifiedImage: container.image },
    command: [...container.command],
    args: [...container.args],
    workingDir: container.workingDir,
    envs: container.env.flatMap(({ name: key, value }) =>
      value === undefined ? [] : { key, value: Buffer.from(value) },
    ),
    labels: containerLabels(pod, container),
    annotations: pod.metadata.annotations,
    linux: { resources: linuxResources(container.resources) },
  });

const container = (name: string, cpu: string) => ({
  name,
  image: 'busybox:1',
  command: ['sleep', '1000000'],
  resources: { limits: { cpu, memory: '64Mi' } },
});

const pod = (name: string, containers: readonly object[]) => ({
  manifest: { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } },
});

/** One that ends, one with two containers, one whose container restarts. */
const DEFAULT_PODS = [
  pod('job', [container('work', '1')]),
  pod('web', [container('app', '1'), container('proxy', '500m')]),
  pod('db', [container('db', '2')]),
];
