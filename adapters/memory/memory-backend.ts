import type { Clock } from '../../src/clock/clock.js';
import { notFound } from '../../src/cri/errors.js';
import { NamespaceMode, type RuntimeHandler } from '../../src/cri/gen/runtime/v1/api.js';
import type { Backend, BackendHost, ContainerRuntime, ContainerSpec } from '../../src/engine/backend.js';
import { AddressPool, isPodAddress } from './addresses.js';
import { type BehaviorRule, chooseBehavior } from './behavior/choose-behavior.js';
import { createMemoryCheckpoints } from './checkpoints.js';
import type { Programs } from './commands/programs.js';
import { FREE } from './confinement.js';
import { MemoryContainer } from './container.js';
import { prepareMounts } from './fs/prepare-mounts.js';
import { createRoots } from './fs/rootfs.js';
import { createMemoryImages, type MemoryImages, type PullRule } from './images/memory-images.js';
import { inspectContainer } from './inspect-container.js';
import { createMemoryMetrics, type MeasuredPod } from './metrics.js';
import { forward } from './network.js';
import type { Commands, MemoryNode } from './node.js';
import { MemoryPod } from './pod.js';
import { bareInit } from './process/host-view.js';
import { HostPids } from './process/pid-namespace.js';
import { containerUsage, sandboxUsage } from './usage.js';
import { describeUser } from './users.js';

export interface MemoryOptions {
  readonly clock: Clock;
  /** What command lines run, where no behavior stands for them. */
  readonly programs?: Programs;
  /** Behaviors by image, name or labels; the first that matches counts. */
  readonly behaviors?: readonly BehaviorRule[];
  readonly pulls?: readonly PullRule[];
  /** How long a pull takes, in ms; default 20. */
  readonly pullLatency?: number;
  /** What tells this server from others of the machine, such as its socket's path; see AddressPool. */
  readonly place?: string;
  /** References of images that need no pull. */
  readonly presentImages?: readonly string[];
  /** Told what goes wrong beside a call, such as a log that can't be written. */
  readonly warn?: (message: string, error: unknown) => void;
}

const HANDLERS: readonly RuntimeHandler[] = [
  { name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
];

/** Pid 1 of the node: it survives whatever it is sent. */
const INIT = bareInit({
  hostPid: 1,
  argv: ['/sbin/init'],
  user: { uid: 0, gid: 0, groups: [0], name: 'root' },
  container: FREE,
  signal: () => {},
});

async function loadCommands(given: Programs | undefined, images: MemoryImages): Promise<Commands> {
  const { commandNames, createPrograms } = await import('./commands/index.js');
  const rootOf = createRoots(commandNames);
  const imageRoot = (reference: string) => {
    const image = images.store.find(reference);
    return image && rootOf(image.content);
  };
  return { programs: given ?? createPrograms(), rootOf, imageRoot };
}

/** Containers that are async functions on a clock: no privileges, no images, nothing to install. */
export function createMemoryBackend(options: MemoryOptions): Backend {
  const { clock } = options;
  const images = createMemoryImages({
    clock,
    rules: options.pulls ?? [],
    latency: options.pullLatency ?? 20,
    present: options.presentImages ?? [],
  });
  const pods = new Map<string, MemoryPod>();
  const containers = new Map<string, MemoryContainer>();
  let engine: BackendHost | undefined;
  let loading: Promise<Commands> | undefined;

  const podOf = (id: string): MemoryPod => {
    const pod = pods.get(id);
    if (pod === undefined) throw notFound(`no sandbox ${id} in the memory backend`);
    return pod;
  };
  const containerOf = (id: string): MemoryContainer => {
    const container = containers.get(id);
    if (container === undefined) throw notFound(`no container ${id} in the memory backend`);
    return container;
  };
  clock.loopback?.claim(isPodAddress);
  const node: MemoryNode = {
    clock,
    get host() {
      if (engine === undefined) throw new Error('the memory backend was not opened');
      return engine;
    },
    addresses: new AddressPool(options.place),
    hostPids: new HostPids(() => [
      INIT,
      ...[...pods.values()].filter(({ ready }) => ready).map(({ pause }) => pause),
    ]),
    warn: options.warn ?? (() => {}),
    container: containerOf,
    commands: () => {
      loading ??= loadCommands(options.programs, images);
      return loading;
    },
  };
  const create = async (spec: ContainerSpec, restoredAge = 0): Promise<ContainerRuntime> => {
    const commands = await node.commands();
    const pod = podOf(spec.sandboxId);
    const image = images.store.get(spec.image.id);
    const behavior = chooseBehavior(spec, options.behaviors ?? []);
    const container = new MemoryContainer(spec, { node, pod, commands, image, behavior, restoredAge });
    containers.set(spec.id, container);
    pod.containers = pod.containers.concat(container);
    const { user, stopSignal, resources } = container;
    return { user: describeUser(user), resources, stopSignal };
  };
  const measured = (id: string): MeasuredPod | undefined => {
    const pod = pods.get(id);
    if (!pod?.ready) return undefined;
    return { id, createdAt: pod.createdAt, now: clock.now(), containers: pod.containers };
  };

  return {
    info: { name: 'mockri', version: '0.1.0' },
    capabilities: {
      runtimeHandlers: HANDLERS,
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false, mountOptions: false },
      cgroupDriver: 'cgroupfs',
      attach: true,
      portForward: true,
      updateResources: true,
    },
    images,
    metrics: createMemoryMetrics(measured),
    checkpoints: createMemoryCheckpoints({ container: containerOf, create }),
    open: async (given) => {
      engine = given;
      return { sandboxes: [], containers: [] };
    },
    close: async () => {
      await Promise.all([...containers.values()].map((container) => container.kill()));
    },
    runSandbox: async (spec) => {
      const isHost = spec.config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
      const ip = isHost ? undefined : node.addresses.take();
      const pod = new MemoryPod(node, spec, ip);
      pods.set(spec.id, pod);
      return { ips: pod.ips };
    },
    stopSandbox: async (id) => {
      const pod = pods.get(id);
      if (!pod?.ready) return;
      pod.ready = false;
      if (pod.ip !== undefined) node.addresses.release(pod.ip);
    },
    removeSandbox: async (id) => void pods.delete(id),
    createContainer: async (spec) => {
      await prepareMounts(spec, (await node.commands()).imageRoot);
      return create(spec);
    },
    startContainer: (id, { signal }) => containerOf(id).start(signal),
    stopContainer: (id, { timeout }, { signal }) => containerOf(id).stop(timeout, signal),
    removeContainer: async (id) => {
      const container = containers.get(id);
      if (container === undefined) return;
      containers.delete(id);
      const { pod } = container;
      pod.containers = pod.containers.filter((one) => one !== container);
    },
    reopenLog: (id) => containerOf(id).reopenLog(),
    updateContainerResources: async (id, resources) => containerOf(id).update(resources),
    injectExit: (id, exit) => containerOf(id).injectExit(exit),
    exec: (id, spec, streams, { signal }) => containerOf(id).exec(spec, streams, signal),
    attach: (id, streams, { signal }) => containerOf(id).attach(streams, signal),
    portForward: (id, port, connection, { signal }) => forward(clock, podOf(id).ip, port, connection, signal),
    containerUsage: async (ids) => {
      const usages = ids.map((id) => [id, containers.get(id)?.usage()] as const);
      return new Map(usages.flatMap(([id, usage]) => (usage ? [[id, containerUsage(usage)]] : [])));
    },
    sandboxUsage: async (ids) => {
      const ready = ids.flatMap((id) => pods.get(id) ?? []).filter((pod) => pod.ready);
      return new Map(ready.map(({ id, createdAt }) => [id, sandboxUsage(clock.now(), createdAt, 1)]));
    },
    inspectSandbox: async (id) => ({ pid: podOf(id).hostPid, runtimeType: 'memory' }),
    inspectContainer: async (id) => inspectContainer(containerOf(id)),
  };
}
