import { requestedDevices } from '../cdi/devices.js';
import type { CdiEdits } from '../cdi/edits.js';
import type { Clock } from '../clock/clock.js';
import { CriError, StatusError } from '../cri/errors.js';
import type { LinuxContainerResources } from '../cri/gen/runtime/v1/api.js';
import { NEVER } from '../cri/never.js';
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
import { TtrpcError } from '../ttrpc/error.js';
import { containerdRules } from './containerd-rules.js';
import { Container, ContainerState, PodSandbox } from './gen/nri/v1alpha1/api.js';
import { NriHost } from './host.js';
import { describeOwners } from './merge/owners.js';
import { adjustConfig } from './objects/adjust-config.js';
import { adjustContainer } from './objects/adjust-container.js';
import { editConfig, editContainer } from './objects/cdi-edits.js';
import { imageConfigOf } from './objects/container.js';
import { withLimits } from './objects/limits.js';
import { ociSpec, type SpecFacts } from './objects/oci-spec.js';
import { fromCri, toCri } from './objects/resources.js';
import { asShown } from './objects/shown.js';
import type { HostOptions, RuledOptions } from './options.js';
import { recover } from './recover.js';
import type { NriRules, Refusable } from './rules.js';
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

/** Puts plugins in front of a backend: they get each operation as the runtime of the rules sends it. */
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
      endedBeforeStart: (exit) => {
        backend.endedBeforeStart?.(exit);
        relay.endedBeforeStart(exit);
      },
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
  readonly #options: RuledOptions;
  readonly #rules: NriRules;
  #engine: BackendHost | undefined;

  constructor(backend: Backend, options: HostOptions) {
    this.#backend = backend;
    this.#clock = options.clock;
    const rules = { ...containerdRules, ...options.rules };
    this.#rules = rules;
    this.#options = { ...options, rules };
    this.host = new NriHost(
      {
        pods: () => [...this.#tracked.pods.values()].map(({ pod }) => pod),
        containers: () => this.#tracked.living().map((container) => this.#shown(container)),
        update: (updates) =>
          updateContainers(updates, {
            backend,
            tracked: this.#tracked,
            engine: () => this.#engine,
            log: options.log,
            rules,
          }),
      },
      this.#options,
    );
  }

  inGate<T>(work: () => Promise<T>): Promise<T> {
    return this.#rules.exclusiveSync ? this.host.gate.operation(work) : work();
  }

  async open(engine: BackendHost): Promise<Inventory> {
    this.#engine = engine;
    const inventory = await this.#backend.open({
      ...engine,
      containerConfig: (id) => this.#tracked.containers.get(id)?.config ?? engine.containerConfig(id),
      containerExited: (exit) => this.#exited(exit),
    });
    await recover(inventory, this.#backend, this.#tracked, this.#rules);
    return inventory;
  }

  async runSandbox(spec: SandboxSpec, call: BackendCall): Promise<SandboxRuntime> {
    const runtime = await this.#backend.runSandbox(spec, call);
    const { pid = 0 } = await this.#backend.inspectSandbox(spec.id).catch(() => ({ pid: 0 }));
    const pod = PodSandbox.fromPartial(this.#rules.view.pod(spec, runtime, Number(pid)));
    try {
      await this.host.notify('runPodSandbox', { pod });
    } catch (error) {
      for (const method of ['stopPodSandbox', 'removePodSandbox'] as const)
        await this.#attempt(method, () => this.host.notify(method, { pod }));
      await this.#backend.stopSandbox(spec.id, call);
      await this.#backend.removeSandbox(spec.id, call);
      throw this.#refused('runPodSandbox', spec.id, error);
    }
    this.#tracked.pods.set(spec.id, { pod, isStopped: false });
    return runtime;
  }

  async stopSandbox(id: string, call: BackendCall): Promise<void> {
    await this.#backend.stopSandbox(id, call);
    const known = this.#tracked.pods.get(id);
    if (known === undefined || known.isStopped) return;
    const { view, failsStop, tellsStopOfRemoved } = this.#rules;
    if (call.isRemoval && !tellsStopOfRemoved) return;
    const pod = view.stoppedPod(known.pod, false);
    try {
      await this.host.notify('stopPodSandbox', { pod });
    } catch (error) {
      if (failsStop) throw this.#refused('stopPodSandbox', id, error);
      this.#warn('stopPodSandbox', error);
    }
    known.isStopped = true;
    known.pod = view.stoppedPod(pod, true);
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
        throw this.#refused('updatePodSandbox', id, error);
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
  async tell(method: 'removePodSandbox' | 'postUpdatePodSandbox', id: string): Promise<void> {
    const pod = this.#tracked.pods.get(id)?.pod;
    if (pod !== undefined) await this.#attempt(method, () => this.host.notify(method, { pod }));
  }

  async createContainer(spec: ContainerSpec, call: BackendCall) {
    const pod = this.#tracked.pods.get(spec.sandboxId)?.pod;
    if (pod === undefined) return this.#backend.createContainer(spec, call);
    const image = await imageConfigOf(this.#backend, spec);
    const before = Container.fromPartial(this.#rules.view.container(spec, pod, image));
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
        this.host.notify('postCreateContainer', { pod, container: this.#shown(container) }),
      );
      return runtime;
    } catch (error) {
      if (this.#rules.tellsOfRefused) await this.#tellOfUnmade(pod, unmade(before));
      throw error;
    }
  }

  async #tellOfUnmade(pod: PodSandbox, container: Container): Promise<void> {
    await this.#attempt('stopContainer', () => this.host.stopContainer(pod, container));
    await this.#attempt('removeContainer', () => this.host.notify('removeContainer', { pod, container }));
  }

  /** What CDI devices and plugins make of a container: the client's devices come first. */
  async #adjusted(spec: ContainerSpec, pod: PodSandbox, before: Container) {
    const devices = this.#devices('clientDevices', spec.id, () => requestedDevices(spec.config));
    const inSpec = devices === undefined ? before : editContainer(before, devices);
    const given = asShown(inSpec, spec, this.#rules);
    const { adjustment, owners } = await this.host.createContainer(pod, given).catch((error: unknown) => {
      throw this.#refused('createContainer', spec.id, error);
    });
    const names = () => adjustment.CDIDevices.map(({ name }) => name);
    const more = this.#devices('pluginDevices', spec.id, names);
    const requested = devices === undefined ? spec.config : editConfig(spec.config, devices);
    const adjusted = adjustConfig(requested, adjustment);
    const config = more === undefined ? adjusted : editConfig(adjusted, more);
    const byPlugins = describeOwners(owners.toMessage(), spec.id);
    const isAdjusted = devices !== undefined || Object.keys(byPlugins).length > 0;
    const container = adjustContainer(inSpec, adjustment, this.#rules, more);
    return {
      container: asShown(container, spec, this.#rules),
      annotations: container.annotations,
      config: isAdjusted ? config : undefined,
      owners: byPlugins,
    };
  }

  /** What CDI devices change; undefined if there are none, or if they have no effect. */
  #devices(
    what: 'clientDevices' | 'pluginDevices',
    id: string,
    names: () => readonly string[],
  ): CdiEdits | undefined {
    const { cdi } = this.#options;
    if (cdi === undefined) return undefined;
    try {
      const all = names();
      return all.length === 0 ? undefined : cdi.resolve(all);
    } catch (error) {
      throw this.#refused(what, id, error);
    }
  }

  async startContainer(id: string, call: BackendCall): Promise<void> {
    const known = this.#tracked.containers.get(id);
    if (known === undefined) return this.#backend.startContainer(id, call);
    const pod = this.#tracked.podOf(known.container);
    known.isStarting = true;
    try {
      await this.host
        .notify('startContainer', { pod, container: this.#shown(known.container) })
        .catch((error: unknown) => {
          if (this.#rules.failsStart) throw this.#refused('startContainer', id, error);
          this.#warn('startContainer', error);
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
    const started = this.#rules.showsStart ? known.container : unstarted(known.container);
    await this.#attempt('postStartContainer', () =>
      this.host.notify('postStartContainer', { pod, container: this.#shown(started) }),
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
    await this.#attempt('stopContainer', () => this.host.stopContainer(pod, this.#shown(known.container)));
  }

  async removeContainer(id: string, call: BackendCall): Promise<void> {
    const known = this.#tracked.containers.get(id);
    if (known !== undefined) {
      await this.stopped(id);
      const container = this.#shown(this.#rules.showsEnded ? known.container : withoutEnd(known.container));
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
      (await this.host
        .updateContainer(pod, this.#shown(known.container), resources)
        .catch((error: unknown) => {
          throw this.#refused('updateContainer', id, error);
        }));
    const wanted = changed === undefined ? given : toCri(changed);
    const inForce = await this.#backend.updateContainerResources(id, wanted, call);
    known.container = withLimits(known.container, wanted, this.#rules);
    await this.#attempt('postUpdateContainer', () =>
      this.host.notify('postUpdateContainer', { pod, container: this.#shown(known.container) }),
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
    const { hostname } = (info.runtimeSpec ?? {}) as { readonly hostname?: string };
    const runtimeSpec = { ...ociSpec(known.container, this.#specFacts(known)), hostname };
    return { ...info, runtimeSpec, ...(known.config !== undefined && { nriOwners: known.owners }) };
  }

  /** A container as plugins see it once it is there. */
  #shown(container: Container): Container {
    const { linux } = container;
    if (this.#rules.showsSeccomp || linux === undefined) return container;
    return { ...container, linux: { ...linux, seccompPolicy: undefined } };
  }

  #specFacts({ container: { id }, annotations }: TrackedContainer): SpecFacts {
    return { config: (this.#engine as BackendHost).containerConfig(id), annotations };
  }

  #exited(exit: ContainerExit): void {
    this.#engine?.containerExited(exit);
    this.ended(exit);
  }

  /** The container's process has ended. */
  ended(exit: ContainerExit): void {
    const known = this.#tracked.containers.get(exit.containerId);
    if (known === undefined) return;
    const { finishedAt, exitCode } = exit;
    known.container = {
      ...known.container,
      state: ContainerState.CONTAINER_STOPPED,
      finishedAt,
      exitCode,
      pid: this.#rules.showsEnded ? known.container.pid : 0,
    };
    this.#stoppedLater(exit.containerId);
  }

  endedBeforeStart(exit: ContainerExit): void {
    const known = this.#tracked.containers.get(exit.containerId);
    if (known !== undefined) known.container = { ...known.container, startedAt: NEVER };
    this.ended(exit);
  }

  #stoppedLater(id: string): void {
    void this.#clock.run(() => this.stopped(id));
  }

  /** What a plugin refuses when it is too late. */
  async #attempt(method: string, relay: () => Promise<void>): Promise<void> {
    await relay().catch((error: unknown) => this.#warn(method, error));
  }

  #warn(method: string, error: unknown): void {
    this.#options.log.warn(`NRI ${method} failed: ${(error as Error).message}`);
  }

  /** An error of a plugin as the client gets it. */
  #refused(what: Refusable, id: string, error: unknown): Error {
    const prefix = this.#rules.refusal(what, id);
    const { message, cause } = error as Error;
    // A wrapped status keeps its code; its text is in Go's form then.
    if (cause instanceof TtrpcError)
      return new StatusError(cause.code, prefix === '' ? cause.message : `${prefix}${message}`, { cause });
    return new CriError('internal', `${prefix}${message}`, { cause: error });
  }
}

/** Of one that could not be made, containerd knows only the spec. */
const unmade = (container: Container): Container => ({
  ...container,
  labels: {},
  image: undefined,
  CDIDevices: [],
});

const unstarted = (container: Container): Container => ({
  ...container,
  state: ContainerState.CONTAINER_CREATED,
  startedAt: 0n,
});

/** containerd has no state for one that has ended, except in the message that it ends. */
const withoutEnd = (container: Container): Container =>
  container.state === ContainerState.CONTAINER_STOPPED
    ? { ...container, state: ContainerState.CONTAINER_UNKNOWN }
    : container;
