import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { makeTemporaryDirectory } from '../../../base/input/temporary-directory.js';
import type { ContainerConfig } from '../../../cri/gen/runtime/v1/api.js';
import type { KubeletKind } from '../../../kubelet/hosts/kubelet.js';
import { freePorts } from '../../../kubelet/hosts/program/free-ports.js';
import { removeMounted } from '../../../kubelet/hosts/program/guarded-process.js';
import type { PodServices } from '../../../kubelet/hosts/services.js';
import type { KubeletSettings } from '../../../kubelet/hosts/settings.js';
import { virtualKubelet } from '../../../kubelet/hosts/virtual/kubelet.js';
import { runtimeSocket } from '../../../kubelet/hosts/virtual/kubelet-command.js';
import { placeOutside } from '../../../kubelet/hosts/virtual/namespaces.js';
import type { Backend, ContainerSpec } from '../../../runtime/engine/backend.js';
import type { LoadedScenario } from '../file/loaded-scenario.js';
import { apiObjectsOf } from './scenario-objects.js';
import type { ScenarioPods } from './scenario-pods.js';

export interface ProgramKubelet {
  readonly listen: string;
  /** Maps paths of the program's files from its namespaces to this process. */
  within(backend: Backend): Backend;
  kind(context: ProgramContext): KubeletKind;
  /** The next start is that of another program. */
  use(program: string): void;
  /** Removes its files. The program must have been killed, and the clock must have settled. */
  close(): void;
}

export interface ProgramContext {
  readonly scenario: LoadedScenario;
  readonly settings: KubeletSettings;
  readonly clock: VirtualClock;
  readonly pods: Pick<ScenarioPods, 'start' | 'manifestOf'>;
  readonly services: Pick<PodServices, 'addresses'>;
}

export async function openProgram(program: string, seed: number): Promise<ProgramKubelet> {
  const directory = makeTemporaryDirectory('mockri-kubelet-');
  const [port = 0, readOnlyPort = 0] = await freePorts(2);
  let made: ReturnType<typeof virtualKubelet> | undefined;
  return {
    listen: runtimeSocket(directory),
    within: (backend) => ({
      ...backend,
      open: (host) =>
        backend.open({
          ...host,
          sharesMachine: true,
          containerConfig: (id) => configSeenFrom(directory, host.containerConfig(id)),
        }),
      createContainer: (spec, call) => backend.createContainer(seenFrom(directory, spec), call),
    }),
    kind: ({ scenario, settings, clock, pods, services }) => {
      made = virtualKubelet({
        clock,
        program,
        seed,
        directory,
        port,
        readOnlyPort,
        nodeName: scenario.node,
        gates: settings.gates,
        config: scenario.kubelet.config,
        podSource: pods,
        apiObjects: apiObjectsOf(scenario, services),
        manifestOf: pods.manifestOf,
      });
      return made.kind;
    },
    use: (other) => made?.use(other),
    close: () => {
      made?.close();
      removeMounted(directory);
    },
  };
}

function seenFrom(directory: string, spec: ContainerSpec): ContainerSpec {
  const logPath = spec.logPath && placeOutside(directory, spec.logPath);
  return { ...spec, logPath, config: configSeenFrom(directory, spec.config) };
}

const configSeenFrom = (directory: string, config: ContainerConfig): ContainerConfig => ({
  ...config,
  mounts: config.mounts.map((mount) => ({
    ...mount,
    hostPath: mount.hostPath && placeOutside(directory, mount.hostPath),
  })),
});
