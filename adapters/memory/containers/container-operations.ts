import type { ContainerConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import type { Backend, ContainerRuntime, ContainerSpec } from '../../../src/engine/backend.js';
import { type BehaviorRule, chooseBehavior } from '../behavior/choose-behavior.js';
import type { MemoryNode } from '../node.js';
import { describeUser } from '../security/resolve-user.js';
import { containerUsage } from '../usage/usage.js';
import { createMemoryCheckpoints } from './checkpoints.js';
import { MemoryContainer } from './container.js';
import { prepareMounts } from './prepare-mounts.js';

type ContainerOperations = Pick<
  Backend,
  | 'createContainer'
  | 'checkProgram'
  | 'startContainer'
  | 'stopContainer'
  | 'removeContainer'
  | 'reopenLog'
  | 'updateContainerResources'
  | 'injectExit'
  | 'exec'
  | 'attach'
  | 'containerUsage'
  | 'inspectContainer'
  | 'checkpoints'
>;

/** What the engine asks of containers. */
export function containerOperations(
  node: MemoryNode,
  behaviors: readonly BehaviorRule[],
): ContainerOperations {
  const { containers } = node;
  const find = (id: string) => node.container(id);
  const create = (spec: ContainerSpec, restoredAge = 0) => addContainer(node, behaviors, spec, restoredAge);
  return {
    checkpoints: createMemoryCheckpoints({ container: find, create }),
    createContainer: (spec) => create(spec),
    checkProgram: async (id) => {
      await find(id).program();
    },
    startContainer: (id, { signal }) => find(id).start(signal),
    stopContainer: (id, { timeout }, { signal }) => find(id).stop(timeout, signal),
    removeContainer: async (id) => {
      const container = containers.get(id);
      if (container === undefined) return;
      containers.delete(id);
      container.removed();
      const { pod } = container;
      pod.containers = pod.containers.filter((one) => one !== container);
    },
    reopenLog: (id) => find(id).reopenLog(),
    updateContainerResources: async (id, resources) => find(id).update(resources),
    injectExit: (id, exit) => find(id).injectExit(exit),
    exec: (id, spec, streams, { signal }) => find(id).exec(spec, streams, signal),
    attach: (id, streams, { signal }) => find(id).attach(streams, signal),
    containerUsage: async (ids) => {
      const usages = ids.map((id) => [id, containers.get(id)?.usage()] as const);
      return new Map(usages.flatMap(([id, usage]) => (usage ? [[id, containerUsage(usage)]] : [])));
    },
    inspectContainer: async (id) => inspectContainer(find(id)),
  };
}

/** `restoredAge` is how long it had run before it was checkpointed, in ms. */
async function addContainer(
  node: MemoryNode,
  behaviors: readonly BehaviorRule[],
  spec: ContainerSpec,
  restoredAge: number,
): Promise<ContainerRuntime> {
  const commands = await node.commands();
  const mounts = await prepareMounts(spec, node.places, commands.imageRoot);
  const pod = node.pod(spec.sandboxId);
  const image = node.images.store.get(spec.image.id);
  const behavior = chooseBehavior(spec, behaviors);
  const container = new MemoryContainer(spec, { node, pod, commands, image, mounts, behavior, restoredAge });
  node.containers.set(spec.id, container);
  pod.containers = pod.containers.concat(container);
  const { user, stopSignal, resources } = container;
  return { user: describeUser(user), resources, stopSignal };
}

/** Verbose detail in the shape of containerd's. */
function inspectContainer(container: MemoryContainer): Record<string, unknown> {
  const { config, user, view, pod } = container;
  const { env, cwd } = container.startEnvironment(config);
  const process = {
    terminal: config.tty,
    user: { uid: user.uid, gid: user.gid, additionalGids: user.groups },
    args: container.argv(config),
    env: Array.from(env, ([name, value]) => `${name}=${value}`),
    cwd,
  };
  const root = { path: 'rootfs', readonly: view.readonlyRootfs };
  return {
    sandboxID: pod.id,
    pid: container.hostPid,
    runtimeType: 'memory',
    config: describeConfig(config),
    runtimeSpec: { process, root, hostname: pod.hostname },
  };
}

/** Values of variables are bytes in the API, and text to read in JSON. */
const describeConfig = (config: ContainerConfig) => ({
  ...config,
  envs: config.envs.map(({ key, value }) => ({ key, value: value.toString() })),
});
