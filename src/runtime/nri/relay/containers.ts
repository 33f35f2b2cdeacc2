import type { LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';
import { NEVER } from '../../../cri/never.js';
import type { BackendCall } from '../../engine/backend/call.js';
import type { ContainerExit, ContainerSpec } from '../../engine/backend.js';
import { Container, ContainerState, type PodSandbox } from '../gen/nri/v1alpha1/api.js';
import { imageConfigOf } from '../objects/container.js';
import { withLimits } from '../objects/limits.js';
import { fromCri, toCri } from '../objects/resources.js';
import { adjust } from './adjust.js';
import type { Relay } from './relay.js';

export class ContainerRelay {
  readonly #relay: Relay;

  constructor(relay: Relay) {
    this.#relay = relay;
  }

  async create(spec: ContainerSpec, call: BackendCall) {
    const { backend, host, tracked, rules } = this.#relay;
    const pod = tracked.pods.get(spec.sandboxId)?.pod;
    if (pod === undefined) return backend.createContainer(spec, call);
    const image = await imageConfigOf(backend, spec);
    const before = Container.fromPartial(rules.view.container(spec, pod, image));
    try {
      const { container, config, owners, annotations } = await adjust(this.#relay, spec, pod, before);
      container.state = ContainerState.CONTAINER_CREATED;
      container.createdAt = spec.createdAt;
      const known = { container, annotations, config, owners, isStarting: false, isStopped: false };
      tracked.containers.add(spec.id, known);
      const given = { ...spec, config: config ?? spec.config };
      const runtime = await backend.createContainer(given, call);
      await this.#relay.attempt('postCreateContainer', () =>
        host.notify('postCreateContainer', { pod, container: this.#relay.shown(container) }),
      );
      return runtime;
    } catch (error) {
      tracked.containers.delete(spec.id);
      if (rules.tellsOfRefused) await this.#tellOfUnmade(pod, unmade(before));
      throw error;
    }
  }

  async #tellOfUnmade(pod: PodSandbox, container: Container): Promise<void> {
    const { host } = this.#relay;
    await this.#relay.attempt('stopContainer', () => host.stopContainer(pod, container));
    await this.#relay.attempt('removeContainer', () => host.notify('removeContainer', { pod, container }));
  }

  async start(id: string, call: BackendCall): Promise<void> {
    const { backend, host, tracked, rules, clock } = this.#relay;
    const known = tracked.containers.get(id);
    if (known === undefined) return backend.startContainer(id, call);
    const pod = tracked.podOf(known.container);
    known.isStarting = true;
    try {
      await host
        .notify('startContainer', { pod, container: this.#relay.shown(known.container) })
        .catch((error: unknown) => {
          if (rules.failsStart) throw this.#relay.refused('startContainer', id, error);
          this.#relay.warn('startContainer', error);
        });
      await backend.startContainer(id, call);
    } catch (error) {
      known.isStarting = false;
      await this.stopped(id);
      throw error;
    }
    const { pid = 0 } = await backend.inspectContainer(id).catch(() => ({ pid: 0 }));
    const startedAt = backend.startedAt?.(id) ?? clock.now();
    const isOver = known.container.state === ContainerState.CONTAINER_STOPPED;
    known.container = {
      ...known.container,
      startedAt,
      pid: Number(pid),
      ...(!isOver && { state: ContainerState.CONTAINER_RUNNING }),
    };
    const started = rules.showsStart ? known.container : unstarted(known.container);
    await this.#relay.attempt('postStartContainer', () =>
      host.notify('postStartContainer', { pod, container: this.#relay.shown(started) }),
    );
    known.isStarting = false;
    if (isOver || known.container.state === ContainerState.CONTAINER_STOPPED) this.#stoppedLater(id);
  }

  async stopped(id: string): Promise<void> {
    const { host, tracked } = this.#relay;
    const known = tracked.containers.get(id);
    if (known === undefined || known.isStopped || known.isStarting) return;
    known.isStopped = true;
    const pod = tracked.podOf(known.container);
    await this.#relay.attempt('stopContainer', () =>
      host.stopContainer(pod, this.#relay.shown(known.container)),
    );
  }

  async remove(id: string, call: BackendCall): Promise<void> {
    const { backend, host, tracked, rules } = this.#relay;
    const known = tracked.containers.get(id);
    if (known !== undefined) {
      await this.stopped(id);
      const container = this.#relay.shown(rules.showsEnded ? known.container : withoutEnd(known.container));
      const pod = tracked.podOf(container);
      await this.#relay.attempt('removeContainer', () => host.notify('removeContainer', { pod, container }));
    }
    await backend.removeContainer(id, call);
    tracked.containers.delete(id);
  }

  async updateResources(id: string, given: LinuxContainerResources, call: BackendCall) {
    const { backend, host, tracked, rules } = this.#relay;
    const known = tracked.containers.get(id);
    if (known === undefined) return backend.updateContainerResources(id, given, call);
    const pod = tracked.podOf(known.container);
    const resources = fromCri(given);
    const changed =
      resources &&
      (await host
        .updateContainer(pod, this.#relay.shown(known.container), resources)
        .catch((error: unknown) => {
          throw this.#relay.refused('updateContainer', id, error);
        }));
    const wanted = changed === undefined ? given : toCri(changed);
    const inForce = await backend.updateContainerResources(id, wanted, call);
    known.container = withLimits(known.container, wanted, rules);
    await this.#relay.attempt('postUpdateContainer', () =>
      host.notify('postUpdateContainer', { pod, container: this.#relay.shown(known.container) }),
    );
    return inForce;
  }

  ended(exit: ContainerExit): void {
    const { tracked, rules } = this.#relay;
    const known = tracked.containers.get(exit.containerId);
    if (known === undefined) return;
    const { finishedAt, exitCode } = exit;
    known.container = {
      ...known.container,
      state: ContainerState.CONTAINER_STOPPED,
      finishedAt,
      exitCode,
      pid: rules.showsEnded ? known.container.pid : 0,
    };
    this.#stoppedLater(exit.containerId);
  }

  endedBeforeStart(exit: ContainerExit): void {
    const known = this.#relay.tracked.containers.get(exit.containerId);
    if (known !== undefined) known.container = { ...known.container, startedAt: NEVER };
    this.ended(exit);
  }

  #stoppedLater(id: string): void {
    void this.#relay.clock.run(() => this.stopped(id));
  }
}

/** containerd knows only the spec of a container that could not be created. */
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

/** containerd has no state for an ended container, except in the message about its end. */
const withoutEnd = (container: Container): Container =>
  container.state === ContainerState.CONTAINER_STOPPED
    ? { ...container, state: ContainerState.CONTAINER_UNKNOWN }
    : container;
