import type { Clock } from '../../src/clock/clock.js';
import { notFound } from '../../src/cri/errors.js';
import { NamespaceMode, type RuntimeHandler } from '../../src/cri/gen/runtime/v1/api.js';
import type {
  Backend,
  BackendHost,
  ContainerRuntime,
  ContainerSpec,
  SandboxSpec,
} from '../../src/engine/backend.js';
import { AddressPool } from './addresses.js';
import { type BehaviorRule, chooseBehavior } from './behavior/choose-behavior.js';
import { createMemoryCheckpoints } from './checkpoints.js';
import type { Programs } from './commands/programs.js';
import { MemoryContainer } from './container.js';
import { type PodView, podViewOf, viewOf } from './container-view.js';
import { createContainerFs } from './fs/container-fs.js';
import { prepareMounts } from './fs/prepare-mounts.js';
import { createRoots } from './fs/rootfs.js';
import { createMemoryImages, type MemoryImages, type PullRule } from './images/memory-images.js';
import { createMemoryMetrics, type MeasuredPod } from './metrics.js';
import { bindingsOf, forward } from './network.js';
import { containerUsage, sandboxUsage } from './usage.js';
import { describeUser, resolveUser } from './users.js';

export interface MemoryOptions {
  readonly clock: Clock;
  /** What command lines run, where no behavior stands for them. */
  readonly programs?: Programs;
  /** Behaviors by image, name or labels; the first that matches counts. */
  readonly behaviors?: readonly BehaviorRule[];
  readonly pulls?: readonly PullRule[];
  /** How long a pull takes, in ms; default 20. */
  readonly pullLatency?: number;
  /** Told what goes wrong beside a call, such as a log that can't be written. */
  readonly warn?: (message: string, error: unknown) => void;
}

interface MemorySandbox {
  readonly spec: SandboxSpec;
  readonly ip: string | undefined;
  readonly view: PodView;
  readonly containers: Set<MemoryContainer>;
  ready: boolean;
}

const HANDLERS: readonly RuntimeHandler[] = [
  { name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: false } },
];

/** The shell and the commands are a hundred files: they are read for the first container, not for the ready line. */
async function loadCommands(given: Programs | undefined, images: MemoryImages) {
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
  const warn = options.warn ?? (() => {});
  const images = createMemoryImages({
    clock,
    rules: options.pulls ?? [],
    latency: options.pullLatency ?? 20,
  });
  const addresses = new AddressPool();
  const sandboxes = new Map<string, MemorySandbox>();
  const containers = new Map<string, MemoryContainer>();
  let host: BackendHost | undefined;

  let loading: ReturnType<typeof loadCommands> | undefined;
  const commands = () => {
    loading ??= loadCommands(options.programs, images);
    return loading;
  };
  const sandboxOf = (id: string): MemorySandbox => {
    const sandbox = sandboxes.get(id);
    if (sandbox === undefined) throw notFound(`no sandbox ${id} in the memory backend`);
    return sandbox;
  };
  const containerOf = (id: string): MemoryContainer => {
    const container = containers.get(id);
    if (container === undefined) throw notFound(`no container ${id} in the memory backend`);
    return container;
  };
  const create = async (spec: ContainerSpec, restoredAge = 0): Promise<ContainerRuntime> => {
    const { programs, rootOf, imageRoot } = await commands();
    const { spec: pod, ip, view, containers: siblings } = sandboxOf(spec.sandboxId);
    const image = images.store.get(spec.image.id)?.content;
    const container = new MemoryContainer({
      clock,
      spec,
      view: viewOf(spec, view),
      user: resolveUser(spec.config, pod.config, image),
      image,
      behavior: chooseBehavior(spec, options.behaviors ?? []),
      restoredAge,
      programs,
      fileSystem: (view, resources) =>
        createContainerFs({ clock, spec, root: rootOf(image), imageRoot, view: () => view, resources }),
      bindings: (port) => bindingsOf(pod.config, ip, port),
      exited: (exit) => host?.containerExited(exit),
      warn,
    });
    containers.set(spec.id, container);
    siblings.add(container);
    const { user, stopSignal, resources } = container;
    return { user: describeUser(user), resources, stopSignal };
  };
  const measured = (id: string): MeasuredPod | undefined => {
    const sandbox = sandboxes.get(id);
    if (!sandbox?.ready) return undefined;
    const { spec, containers: own } = sandbox;
    return { id, createdAt: spec.createdAt, now: clock.now(), containers: [...own] };
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
      host = given;
      return { sandboxes: [], containers: [] };
    },
    close: async () => {
      await Promise.all([...containers.values()].map((container) => container.kill()));
    },
    runSandbox: async (spec) => {
      const isHost = spec.config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
      const ip = isHost ? undefined : addresses.take();
      sandboxes.set(spec.id, {
        spec,
        ip,
        view: podViewOf(spec, ip, (address) => addresses.has(address)),
        containers: new Set(),
        ready: true,
      });
      return { ips: ip === undefined ? [] : [ip] };
    },
    stopSandbox: async (id) => {
      const sandbox = sandboxes.get(id);
      if (!sandbox?.ready) return;
      sandbox.ready = false;
      if (sandbox.ip !== undefined) addresses.release(sandbox.ip);
    },
    removeSandbox: async (id) => void sandboxes.delete(id),
    createContainer: async (spec) => {
      await prepareMounts(spec, (await commands()).imageRoot);
      return create(spec);
    },
    startContainer: (id, { signal }) => containerOf(id).start(signal),
    stopContainer: (id, { timeout }, { signal }) => containerOf(id).stop(timeout, signal),
    removeContainer: async (id) => {
      const container = containers.get(id);
      if (container === undefined) return;
      containers.delete(id);
      sandboxes.get(container.spec.sandboxId)?.containers.delete(container);
    },
    reopenLog: (id) => containerOf(id).reopenLog(),
    updateContainerResources: async (id, resources) => containerOf(id).update(resources),
    injectExit: (id, exit) => containerOf(id).injectExit(exit),
    exec: (id, spec, streams, { signal }) => containerOf(id).exec(spec, streams, signal),
    attach: (id, streams, { signal }) => containerOf(id).attach(streams, signal),
    portForward: (id, port, connection, { signal }) => forward(sandboxOf(id).ip, port, connection, signal),
    containerUsage: async (ids) => {
      const usages = ids.map((id) => [id, containers.get(id)?.usage()] as const);
      return new Map(usages.flatMap(([id, usage]) => (usage ? [[id, containerUsage(usage)]] : [])));
    },
    sandboxUsage: async (ids) => {
      const ready = ids.flatMap((id) => sandboxes.get(id) ?? []).filter((sandbox) => sandbox.ready);
      return new Map(ready.map(({ spec }) => [spec.id, sandboxUsage(clock.now(), spec.createdAt, 1)]));
    },
    inspectSandbox: async (id) => ({ pid: 1, config: sandboxOf(id).spec.config, runtimeType: 'memory' }),
    inspectContainer: async (id) => containerOf(id).inspect(),
  };
}
