import type { Backend, BackendHost, ContainerExit } from '../engine/backend.js';
import type { NriHost } from './host.js';
import { ociSpec } from './objects/oci-spec.js';
import type { HostOptions } from './options.js';
import { recover } from './recover.js';
import { ContainerRelay } from './relay/containers.js';
import { PodRelay } from './relay/pods.js';
import { Relay } from './relay/relay.js';
import type { TrackedContainer } from './tracked.js';

export interface NriBackend {
  readonly backend: Backend;
  readonly host: NriHost;
  adjusted(): AdjustedContainer[];
}

export interface AdjustedContainer {
  readonly id: string;
  readonly name: string;
  readonly sandboxId: string;
  /** Which plugin has set which value: by field, or by entry of a field, such as `{ Env: { GPU: '10-gpu' } }`. */
  readonly owners: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

export function withNri(backend: Backend, options: HostOptions): NriBackend {
  const relay = new Relay(backend, options);
  const pods = new PodRelay(relay);
  const containers = new ContainerRelay(relay);
  const { host, tracked } = relay;
  return {
    host,
    adjusted: () => {
      const all = tracked.containers.values().filter(({ config }) => config !== undefined);
      return all.map((known) => summaryOf(relay, known));
    },
    backend: {
      ...backend,
      open: (engine) => open(relay, containers, engine),
      close: async () => {
        await host.close();
        await backend.close();
      },
      runSandbox: (spec, call) => relay.inGate(() => pods.run(spec, call)),
      stopSandbox: (id, call) => relay.inGate(() => pods.stop(id, call)),
      removeSandbox: (id, call) => relay.inGate(() => pods.remove(id, call)),
      createContainer: (spec, call) => relay.inGate(() => containers.create(spec, call)),
      startContainer: (id, call) => relay.inGate(() => containers.start(id, call)),
      stopContainer: (id, stop, call) =>
        relay.inGate(async () => {
          await backend.stopContainer(id, stop, call);
          await containers.stopped(id);
        }),
      endedBeforeStart: (exit) => {
        backend.endedBeforeStart?.(exit);
        containers.endedBeforeStart(exit);
      },
      removeContainer: (id, call) => relay.inGate(() => containers.remove(id, call)),
      updateContainerResources: (id, resources, call) =>
        relay.inGate(() => containers.updateResources(id, resources, call)),
      updateSandboxResources: (id, resources, call) =>
        relay.inGate(async () => {
          await pods.update(id, resources);
          await backend.updateSandboxResources?.(id, resources, call);
          await pods.tell('postUpdatePodSandbox', id);
        }),
      inspectContainer: async (id) => {
        const info = await backend.inspectContainer(id);
        const known = tracked.containers.get(id);
        return known === undefined ? info : withSpec(relay, info, known);
      },
    },
  };
}

/** Opens the backend. The engine's container configs include the plugins' changes. */
async function open(relay: Relay, containers: ContainerRelay, engine: BackendHost) {
  const { backend, tracked, rules } = relay;
  relay.engine = engine;
  const inventory = await backend.open({
    ...engine,
    containerConfig: (id) => tracked.containers.get(id)?.config ?? engine.containerConfig(id),
    containerExited: (exit: ContainerExit) => {
      engine.containerExited(exit);
      containers.ended(exit);
    },
  });
  await recover(inventory, backend, tracked, rules);
  return inventory;
}

function summaryOf(relay: Relay, known: TrackedContainer): AdjustedContainer {
  const { id, name, podSandboxId: sandboxId } = known.container;
  return { id, name, sandboxId, owners: known.owners, spec: specOf(relay, known) };
}

function withSpec(relay: Relay, info: Record<string, unknown>, known: TrackedContainer) {
  const { hostname } = (info.runtimeSpec ?? {}) as { readonly hostname?: string };
  const runtimeSpec = { ...specOf(relay, known), hostname };
  return { ...info, runtimeSpec, ...(known.config !== undefined && { nriOwners: known.owners }) };
}

function specOf({ engine }: Relay, { container, annotations }: TrackedContainer): Record<string, unknown> {
  const config = (engine as BackendHost).containerConfig(container.id);
  return ociSpec(container, { config, annotations });
}
