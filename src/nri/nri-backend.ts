import { requestedDevices } from '../cdi/devices.js';
import type { CdiEdits } from '../cdi/edits.js';
import type { Clock } from '../clock/clock.js';
import { CriError } from '../cri/errors.js';
import type { LinuxContainerResources } from '../cri/gen/runtime/v1/api.js';
import type { BackendCall } from '../engine/backend/call.js';
import type {
  Backend,
  BackendHost,
  ContainerExit,
  ContainerSpec,
  Inventory,
  SandboxRuntime,
  SandboxSpec,
} from '../engine/backend.js';
import { type Container, ContainerState, type PodSandbox } from './gen/nri/v1alpha1/api.js';
import { NriHost } from './host.js';
import { describeOwners } from './merge/owners.js';
import { adjustConfig } from './objects/adjust-config.js';
import { adjustContainer } from './objects/adjust-container.js';
import { editConfig, editContainer } from './objects/cdi-edits.js';
import { containerOf, imageConfigOf, specAnnotations } from './objects/container.js';
import { withLimits } from './objects/limits.js';
import { ociSpec, type SpecFacts } from './objects/oci-spec.js';
import { podOf, stoppedPod } from './objects/pod.js';
import { fromCri, toCri } from './objects/resources.js';
import type { HostOptions } from './options.js';
import { recover } from './recover.js';
import { Tracked, type TrackedContainer } from './tracked.js';
import { updateContainers } from './update-containers.js';

/** A backend whose pods and containers plugins see and change. */
export interface NriBackend {
  readonly backend: Backend;
  readonly host: NriHost;
  /** The containers that plugins have changed, as they are now. */
  adjusted(): AdjustedContainer[];
}

/** A container that plugins have changed. */
export interface AdjustedContainer {
  readonly id: string;
  readonly name: string;
  readonly sandboxId: string;
  readonly owners: Readonly<Record<string, unknown>>;
  readonly spec: Record<string, unknown>;
}

/** Puts plugins in front of a backend: they get each operation as containerd 2.4 sends it (internal/cri/nri). */
export function withNri(backend: Backend, options: HostOptions): NriBackend {
  const relay = new Relay(backend, options);
  return {
    host: relay.host,
    adjusted: () => relay.adjusted(),
    backend: {
      ...backend,
      open: (host) => relay.open(host),
      close: async () => {
        await relay.host.close();
        await backend.close();
      },
      runSandbox: (spec, call) => relay.inGate(() => relay.runSandbox(spec, call)),
      stopSandbox: (id, call) => relay.inGate(() => relay.stopSandbox(id, call)),
      removeSandbox: (id, call) => relay.inGate(() => relay.removeSandbox(id, call)),
      createContainer: (spec, call) => relay.inGate(() => relay.createContainer(spec, call)),
      startContainer: (id, call) => relay.inGate(() => relay.startContainer(id, call)),
      stopContainer: (id, stop, call) =>
        relay.inGate(async () => {
          await backend.stopContainer(id, stop, call);
          await relay.stopped(id);
        }),
      removeContainer: (id, call) => relay.inGate(() => relay.removeContainer(id, call)),
      updateContainerResources: (id, resources, call) =>
        relay.inGate(() => relay.updateResources(id, resources, call)),
      updateSandboxResources: (id, resources, call) =>
        relay.inGate(async () => {
          await relay.updateSandbox(id, resources);
          await backend.updateSandboxResources?.(id, resources, call);
          await relay.tell('postUpdatePodSandbox', id);
        }),
      inspectContainer: async (id) => relay.describe(id, await backend.inspectContainer(id)),
    },
  };
}

class Relay {
  readonly host: NriHost;
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #tracked = new Tracked();
  readonly #options: HostOptions;
  #engine: BackendHost | undefined;

  constructor(backend: Backend, options: HostOptions) {
    this.#backend = backend;
    this.#clock = options.clock;
    this.#options = options;
    this.host = new NriHost(
      {
        pods: () => [...this.#tracked.pods.values()].map(({ pod }) => pod),
        containers: () => this.#tracked.living(),
        update: (updates) =>
          updateContainers(updates, {
            backend,
            tracked: this.#tracked,
            engine: () => this.#engine,
            log: options.log,
          }),
      },
      options,
    );
  }

  inGate<T>(work: () => Promise<T>): Promise<T> {
    return this.host.gate.operation(work);
  }

  async open(engine: BackendHost): Promise<Inventory> {
    this.#engine = engine;
    const inventory = await this.#backend.open({
      ...engine,
      containerConfig: (id) => this.#tracked.containers.get(id)?.config ?? engine.containerConfig(id),
      containerExited: (exit) => this.#exited(exit),
    });
    await recover(inventory, this.#backend, this.#tracked);
    return inventory;
  }

  async runSandbox(spec: SandboxSpec, call: BackendCall): Promise<SandboxRuntime> {
    const runtime = await this.#backend.runSandbox(spec, call);
    const { pid = 0 } = await this.#backend.inspectSandbox(spec.id).catch(() => ({ pid: 0 }));
    const pod = podOf(spec, runtime, Number(pid));
    try {
      await this.host.notify('runPodSandbox', { pod });
    } catch (error) {
      for (const method of ['stopPodSandbox', 'removePodSandbox'] as const)
        await this.#attempt(method, () => this.host.notify(method, { pod }));
      await this.#backend.stopSandbox(spec.id, call);
      await this.#backend.removeSandbox(spec.id, call);
      throw refused('NRI RunPodSandbox failed', error);
    }
    this.#tracked.pods.set(spec.id, { pod, isStopped: false });
    return runtime;
  }

  async stopSandbox(id: string, call: BackendCall): Promise<void> {
    await this.#backend.stopSandbox(id, call);
    const known = this.#tracked.pods.get(id);
    if (known === undefined || known.isStopped) return;
    known.isStopped = true;
    known.pod = stoppedPod(known.pod);
    await this.tell('stopPodSandbox', id);
    known.pod = stoppedPod(known.pod, true);
  }

  async removeSandbox(id: string, call: BackendCall): Promise<void> {
    await this.tell('removePodSandbox', id);
    await this.#backend.removeSandbox(id, call);
    this.#tracked.pods.delete(id);
  }

  async updateSandbox(id: string, given: Parameters<NonNullable<Backend['updateSandboxResources']>>[1]) {
    const known = this.#tracked.pods.get(id);
    if (known === undefined) return;
    const overheadLinuxResources = fromCri(given.overhead);
    const linuxResources = fromCri(given.resources);
    await this.host
      .notify('updatePodSandbox', { pod: known.pod, overheadLinuxResources, linuxResources })
      .catch((error: unknown) => {
        throw refused('NRI sandbox update failed', error);
      });
    const { linux } = known.pod;
    if (linux === undefined) return;
    const podOverhead = overheadLinuxResources ?? linux.podOverhead;
    known.pod = {
      ...known.pod,
      linux: { ...linux, podOverhead, podResources: linuxResources ?? linux.podResources },
    };
  }

  /** An event of a pod; a plugin that refuses it changes nothing. */
  async tell(
    method: 'stopPodSandbox' | 'removePodSandbox' | 'postUpdatePodSandbox',
    id: string,
  ): Promise<void> {
    const pod = this.#tracked.pods.get(id)?.pod;
    if (pod !== undefined) await this.#attempt(method, () => this.host.notify(method, { pod }));
  }

  async createContainer(spec: ContainerSpec, call: BackendCall) {
    const pod = this.#tracked.pods.get(spec.sandboxId)?.pod;
    if (pod === undefined) return this.#backend.createContainer(spec, call);
    const before = containerOf(spec, pod, await imageConfigOf(this.#backend, spec));
    try {
      const { container, config, owners, annotations } = await this.#adjusted(spec, pod, before);
      const runtime = await this.#backend.createContainer({ ...spec, config: config ?? spec.config }, call);
      container.state = ContainerState.CONTAINER_CREATED;
      container.createdAt = spec.createdAt;
      this.#tracked.containers.set(spec.id, {
        container,
        annotations,
        config,
        owners,
        isStarting: false,
        isStopped: false,
      });
      await this.#attempt('postCreateContainer', () =>
        this.host.notify('postCreateContainer', { pod, container }),
      );
      return runtime;
    } catch (error) {
      const container = unmade(before, specAnnotations(spec, pod));
      await this.#attempt('stopContainer', () => this.host.stopContainer(pod, container));
      await this.#attempt('removeContainer', () => this.host.notify('removeContainer', { pod, container }));
      throw error;
    }
  }

  /** What CDI devices and plugins make of a container, in the order of containerd: the client's devices come first. */
  async #adjusted(spec: ContainerSpec, pod: PodSandbox, before: Container) {
    const devices = this.#devices(() => requestedDevices(spec.config));
    const given = devices === undefined ? before : editContainer(before, devices);
    const { adjustment, owners } = await this.host.createContainer(pod, given).catch((error: unknown) => {
      throw refused(`${NOT_CREATED}failed to get NRI adjustment for container`, error);
    });
    const names = () => adjustment.CDIDevices.map(({ name }) => name);
    const more = this.#devices(names, 'failed to NRI-adjust container Spec: ');
    const requested = devices === undefined ? spec.config : editConfig(spec.config, devices);
    const adjusted = adjustConfig(requested, adjustment);
    const config = more === undefined ? adjusted : editConfig(adjusted, more);
    const byPlugins = describeOwners(owners.toMessage(), spec.id);
    const isAdjusted = devices !== undefined || Object.keys(byPlugins).length > 0;
    // The spec has none of the client's annotations, of which plugins see the client's own value again.
    const inSpec = { ...given, annotations: specAnnotations(spec, pod) };
    const container = adjustContainer(inSpec, adjustment, more);
    const { annotations } = container;
    return {
      container: { ...container, annotations: { ...annotations, ...spec.config.annotations } },
      annotations,
      config: isAdjusted ? config : undefined,
      owners: byPlugins,
    };
  }

  /** What CDI devices change; undefined if there are none, or if they have no effect. */
  #devices(names: () => readonly string[], what = ''): CdiEdits | undefined {
    const { cdi, runtime } = this.#options;
    if (cdi === undefined) return undefined;
    // CRI-O has no text in front.
    const prefix = runtime.name === 'cri-o' ? '' : `${NOT_CREATED}${what}`;
    try {
      const all = names();
      return all.length === 0 ? undefined : cdi.resolve(all);
    } catch (error) {
      throw refused(`${prefix}CDI device injection failed`, error);
    }
  }

  async startContainer(id: string, call: BackendCall): Promise<void> {
    const known = this.#tracked.containers.get(id);
    if (known === undefined) return this.#backend.startContainer(id, call);
    const pod = this.#tracked.podOf(known.container);
    known.isStarting = true;
    try {
      await this.host
        .notify('startContainer', { pod, container: known.container })
        .catch((error: unknown) => {
          throw refused('NRI container start failed', error);
        });
      await this.#backend.startContainer(id, call);
    } catch (error) {
      known.isStarting = false;
      await this.stopped(id);
      throw error;
    }
    const { pid = 0 } = await this.#backend.inspectContainer(id).catch(() => ({ pid: 0 }));
    const startedAt = this.#backend.startedAt?.(id) ?? this.#clock.now();
    const isOver = known.container.state === ContainerState.CONTAINER_STOPPED;
    known.container = {
      ...known.container,
      startedAt,
      pid: Number(pid),
      ...(!isOver && { state: ContainerState.CONTAINER_RUNNING }),
    };
    await this.#attempt('postStartContainer', () =>
      this.host.notify('postStartContainer', { pod, container: known.container }),
    );
    known.isStarting = false;
    if (isOver || known.container.state === ContainerState.CONTAINER_STOPPED) this.#stoppedLater(id);
  }

  /** The container has ended, which plugins learn once. */
  async stopped(id: string): Promise<void> {
    const known = this.#tracked.containers.get(id);
    if (known === undefined || known.isStopped || known.isStarting) return;
    known.isStopped = true;
    const pod = this.#tracked.podOf(known.container);
    await this.#attempt('stopContainer', () => this.host.stopContainer(pod, known.container));
  }

  async removeContainer(id: string, call: BackendCall): Promise<void> {
    const known = this.#tracked.containers.get(id);
    if (known !== undefined) {
      await this.stopped(id);
      const container = asRemoved(known.container);
      const pod = this.#tracked.podOf(container);
      await this.#attempt('removeContainer', () => this.host.notify('removeContainer', { pod, container }));
    }
    await this.#backend.removeContainer(id, call);
    this.#tracked.containers.delete(id);
  }

  async updateResources(id: string, given: LinuxContainerResources, call: BackendCall) {
    const known = this.#tracked.containers.get(id);
    if (known === undefined) return this.#backend.updateContainerResources(id, given, call);
    const pod = this.#tracked.podOf(known.container);
    const resources = fromCri(given);
    const changed =
      resources &&
      (await this.host.updateContainer(pod, known.container, resources).catch((error: unknown) => {
        throw refused('NRI container update failed', error);
      }));
    const wanted = changed === undefined ? given : toCri(changed);
    const inForce = await this.#backend.updateContainerResources(id, wanted, call);
    known.container = withLimits(known.container, wanted);
    await this.#attempt('postUpdateContainer', () =>
      this.host.notify('postUpdateContainer', { pod, container: known.container }),
    );
    return inForce;
  }

  adjusted(): AdjustedContainer[] {
    const all = [...this.#tracked.containers.values()].filter(({ config }) => config !== undefined);
    return all.map((known) => {
      const { id, name, podSandboxId: sandboxId } = known.container;
      const spec = ociSpec(known.container, this.#specFacts(known));
      return { id, name, sandboxId, owners: known.owners, spec };
    });
  }

  /** Adds the OCI spec and who has changed what in it. */
  describe(id: string, info: Record<string, unknown>): Record<string, unknown> {
    const known = this.#tracked.containers.get(id);
    if (known === undefined) return info;
    const runtimeSpec = ociSpec(known.container, this.#specFacts(known));
    return { ...info, runtimeSpec, ...(known.config !== undefined && { nriOwners: known.owners }) };
  }

  #specFacts({ container: { id }, annotations }: TrackedContainer): SpecFacts {
    return { config: (this.#engine as BackendHost).containerConfig(id), annotations };
  }

  #exited(exit: ContainerExit): void {
    this.#engine?.containerExited(exit);
    const known = this.#tracked.containers.get(exit.containerId);
    if (known === undefined) return;
    const { finishedAt, exitCode } = exit;
    known.container = {
      ...known.container,
      state: ContainerState.CONTAINER_STOPPED,
      finishedAt,
      exitCode,
      pid: 0,
    };
    this.#stoppedLater(exit.containerId);
  }

  #stoppedLater(id: string): void {
    void this.#clock.run(() => this.stopped(id));
  }

  /** What a plugin refuses when it is too late. */
  async #attempt(method: string, relay: () => Promise<void>): Promise<void> {
    await relay().catch((error: Error) => this.#options.log.warn(`NRI ${method} failed: ${error.message}`));
  }
}

/** Of one that could not be made, containerd knows only the spec. */
const unmade = (container: Container, annotations: Record<string, string>): Container => ({
  ...container,
  annotations,
  labels: {},
  image: undefined,
  CDIDevices: [],
});

/** containerd has no state for one that has ended, except in the message that it ends. */
const asRemoved = (container: Container): Container =>
  container.state === ContainerState.CONTAINER_STOPPED
    ? { ...container, state: ContainerState.CONTAINER_UNKNOWN }
    : container;

const NOT_CREATED = 'failed to create containerd container: ';

const refused = (what: string, error: unknown): CriError =>
  new CriError('internal', `${what}: ${(error as Error).message}`, { cause: error });
