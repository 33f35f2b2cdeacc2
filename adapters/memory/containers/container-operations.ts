import type { ContainerConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { parseImageReference } from '../../../src/cri/image-reference.js';
import { type Behavior, parseBehavior } from '../../../src/linux/behavior/parse-behavior.js';
import type { Backend, ContainerRuntime, ContainerSpec } from '../../../src/runtime/engine/backend.js';
import type { Commands } from '../commands.js';
import { factsOfConfig, type PodFacts, type UnknownImages } from '../guess/facts.js';
import type { StoredImage } from '../images/image-store.js';
import type { MemoryNode } from '../node.js';
import type { MemoryPod } from '../pods/pod.js';
import { describeUser } from '../security/resolve-user.js';
import { containerUsage } from '../usage/usage.js';
import { createMemoryCheckpoints } from './checkpoints.js';
import { BEHAVIOR_ANNOTATION, type BehaviorRule, chooseBehavior, type LiveRules } from './choose-behavior.js';
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

export interface ContainerChoices {
  readonly behaviors: readonly BehaviorRule[];
  readonly live: LiveRules | undefined;
  readonly unknownImages: UnknownImages;
  readonly podOf: ((uid: string) => PodFacts | undefined) | undefined;
}

export function containerOperations(node: MemoryNode, choices: ContainerChoices): ContainerOperations {
  const { containers } = node;
  const find = (id: string) => node.container(id);
  choices.live?.onChange(() => {
    for (const container of containers.values()) container.followRules();
  });
  const create = (spec: ContainerSpec, restoredAge = 0) => addContainer(node, choices, spec, restoredAge);
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

/** `restoredAge` is how long it had run before its checkpoint, in ms. */
async function addContainer(
  node: MemoryNode,
  choices: ContainerChoices,
  spec: ContainerSpec,
  restoredAge: number,
): Promise<ContainerRuntime> {
  const commands = await node.commands();
  const mounts = await prepareMounts(spec, node.disk, commands.imageRoot);
  const pod = node.pod(spec.sandboxId);
  const { live } = choices;
  const image = node.images.store.get(spec.image.id);
  const given = chooseBehavior(spec, choices.behaviors);
  const { behavior, about } = given
    ? { behavior: given }
    : guessBehavior(spec, pod, image, commands, choices);
  const { metadata } = spec.config;
  const run = {
    name: metadata?.name ?? '',
    attempt: metadata?.attempt ?? 0,
    image: imageName(spec.config, image),
  };
  const container = new MemoryContainer(spec, {
    node,
    pod,
    commands,
    image,
    mounts,
    behavior,
    about,
    ruled: live && (() => live.behavior({ ...run, sandboxConfig: container.sandboxConfig })),
    restoredAge,
  });
  container.followRules();
  node.containers.set(spec.id, container);
  pod.containers = pod.containers.concat(container);
  const { user, stopSignal, resources } = container;
  return { user: describeUser(user), resources, stopSignal };
}

function guessBehavior(
  spec: ContainerSpec,
  sandbox: MemoryPod,
  image: StoredImage | undefined,
  commands: Commands,
  { unknownImages, podOf }: ContainerChoices,
): { readonly behavior?: Behavior | undefined; readonly about?: string } {
  if (unknownImages === 'fail') return {};
  const { config, sandboxConfig } = spec;
  const pod = podOf?.(sandboxConfig.metadata?.uid ?? '');
  const facts = factsOfConfig(spec, imageName(config, image), pod, (name) => sandbox.hasService(name));
  const { behavior, does, from } = commands.decide(facts);
  if (behavior === undefined) return {};
  const key = `${BEHAVIOR_ANNOTATION}${config.metadata?.name}`;
  return {
    behavior: parseBehavior(behavior, 'guess')[0],
    about: `mockri: simulated: it ${does} (from ${from}); to change it, annotate the pod: ${key}: ${JSON.stringify(behavior)}`,
  };
}

/** The name that the user gave: a kubelet creates containers by the id of an image (cri-api ImageSpec). */
const imageName = ({ image }: ContainerConfig, stored: StoredImage | undefined): string => {
  const given = image?.userSpecifiedImage || image?.image || '';
  return parseImageReference(given) === undefined
    ? ([...(stored?.tags ?? stored?.digests ?? [])][0] ?? given)
    : given;
};

/** Verbose detail in containerd's format. */
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

/** The API has the values of variables as bytes; JSON shows them as text. */
const describeConfig = (config: ContainerConfig) => ({
  ...config,
  envs: config.envs.map(({ key, value }) => ({ key, value: value.toString() })),
});
