import { Code, codeName } from '../../cri/status-code.js';
import { TtrpcError } from '../ttrpc/error.js';
import type { Pipe } from '../ttrpc/pipe.js';
import { type EventMethod, eventNames, isSubscribed } from './events.js';
import type {
  Container,
  ContainerAdjustment,
  ContainerUpdate,
  LinuxResources,
  PodSandbox,
} from './gen/nri/v1alpha1/api.js';
import { Adjustments, withParts } from './merge/adjustments.js';
import { Owners } from './merge/owners.js';
import { Updates } from './merge/updates.js';
import { MOST_PLUGINS, type PluginStep, type RuledOptions } from './options.js';
import { createGate, createOrder, type OneByOne, type SyncGate } from './order.js';
import { type Launched, Plugin, type PluginRequest, type PluginResponse } from './plugin.js';
import { refusal } from './validator.js';

export interface HostedRuntime {
  pods(): readonly PodSandbox[];
  /** Returns the containers that have not ended. */
  containers(): readonly Container[];
  /** Returns the updates that failed. Ignores unknown containers. */
  update(updates: readonly ContainerUpdate[]): Promise<readonly ContainerUpdate[]>;
}

export interface Adjusted {
  readonly adjustment: ContainerAdjustment;
  readonly owners: Owners;
}

export class NriHost {
  readonly gate: SyncGate;
  /** By index; plugins of one index in order of connection. */
  #plugins: readonly Plugin[] = [];
  readonly #coming = new Set<Plugin>();
  readonly #inOrder: OneByOne;
  readonly #runtime: HostedRuntime;
  /** Shared by the requests of all plugins. */
  readonly #budget = { used: 0 };
  #connections = 0;
  readonly #options: RuledOptions;

  constructor(runtime: HostedRuntime, options: RuledOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#inOrder = createOrder(options.clock);
    this.gate = createGate(options.clock);
  }

  get plugins(): readonly Plugin[] {
    return this.#plugins;
  }

  /** Registers, configures and synchronizes a plugin. Resolves with undefined when one step fails. */
  async connect(trunk: Pipe, launched?: Launched): Promise<Plugin | undefined> {
    const { log } = this.#options;
    const plugin: Plugin = new Plugin(
      trunk,
      this.#options,
      (from, { update, evict }) => this.#updateFor(from, update, evict.length),
      () => this.#forget(plugin),
      { budget: this.#budget, connection: ++this.#connections, launched },
    );
    if (this.#plugins.length + this.#coming.size >= MOST_PLUGINS) {
      log.warn(`a plugin is refused: ${MOST_PLUGINS} are connected`);
      plugin.close();
      return undefined;
    }
    this.#coming.add(plugin);
    try {
      await plugin.start();
      const synchronize = () => this.#inOrder(() => this.#synchronize(plugin));
      await (this.#options.rules.exclusiveSync ? this.gate.alone(synchronize) : synchronize());
      log.info(`plugin "${plugin.name}" connected and synchronized`);
      return plugin;
    } catch (error) {
      log.warn(`plugin "${plugin.name}": ${(error as Error).message}`);
      plugin.close();
      return undefined;
    } finally {
      this.#coming.delete(plugin);
    }
  }

  /** Relays an event that plugins only observe. Rejects with the first plugin's error. */
  async notify<M extends EventMethod>(method: M, request: PluginRequest<M>): Promise<void> {
    if (this.#plugins.length === 0) return;
    await this.#inOrder(() => this.#relay(method, request, () => {}));
  }

  /** Rejects when a plugin refuses, when two plugins set the same field, and when a validator refuses the result. */
  createContainer(pod: PodSandbox, container: Container): Promise<Adjusted> {
    const owners = new Owners();
    const adjustments = new Adjustments(container, owners);
    return this.#inOrder(async () => {
      const updates = new Updates(owners, { created: container.id });
      const asked = this.#plugins;
      const request = { pod, container: adjustments.container };
      await this.#relay('createContainer', request, ({ adjust, update, evict }, plugin) => {
        if (adjust !== undefined) adjustments.add(adjust, plugin.name);
        updates.add(update, plugin.name);
        this.#warnOfEviction(plugin, evict.length);
      });
      const adjustment = adjustments.collected;
      await this.#validate(pod, container, { adjustment, owners }, updates.others, asked);
      await this.#apply(updates.others, 'pre-create update failed');
      return { adjustment, owners };
    });
  }

  /** Returns the limits after the plugins' changes; undefined if no plugin changes the client's limits. */
  updateContainer(
    pod: PodSandbox,
    container: Container,
    resources: LinuxResources,
  ): Promise<LinuxResources | undefined> {
    return this.#inOrder(async () => {
      const updated = { id: container.id, resources };
      const updates = new Updates(new Owners(), { updated });
      await this.#relay(
        'updateContainer',
        () => ({ pod, container, linuxResources: updated.resources }),
        ({ update, evict }, plugin) => {
          updates.add(update, plugin.name);
          this.#warnOfEviction(plugin, evict.length);
        },
      );
      await this.#apply(updates.others, 'pre-update update failed');
      return updates.own;
    });
  }

  stopContainer(pod: PodSandbox, container: Container): Promise<void> {
    return this.#inOrder(async () => {
      const updates = new Updates(new Owners());
      await this.#relay('stopContainer', { pod, container }, ({ update }, plugin) =>
        updates.add(update, plugin.name),
      );
      await this.#apply(updates.others, 'post-stop update failed');
    });
  }

  disconnect(): void {
    for (const plugin of [...this.#coming, ...this.#plugins]) plugin.close();
  }

  async close(): Promise<void> {
    for (const plugin of this.#coming) plugin.close();
    await Promise.all(this.#plugins.map((plugin) => plugin.shutdown()));
    this.#plugins = [];
  }

  async #relay<M extends EventMethod>(
    method: M,
    request: PluginRequest<M> | (() => PluginRequest<M>),
    take: (response: PluginResponse<M>, plugin: Plugin) => void,
  ): Promise<void> {
    for (const plugin of this.#plugins) {
      const given = typeof request === 'function' ? (request as () => PluginRequest<M>)() : request;
      const response = await plugin.relay(method, given).catch((error: unknown) => {
        throw inGo(error);
      });
      if (response !== undefined) take(response, plugin);
    }
  }

  async #validate(
    pod: PodSandbox,
    container: Container,
    { adjustment, owners }: Adjusted,
    update: readonly ContainerUpdate[],
    asked: readonly Plugin[],
  ): Promise<void> {
    const { validator } = this.#options;
    const names = asked.flatMap(({ base, name }) => [base, name]);
    const why =
      validator && refusal(validator, { pod, container, adjust: adjustment, owners, plugins: names });
    if (why !== undefined)
      throw new Error(`validator "00-default-validator" rejected container adjustment, reason: ${why}`);
    const request = {
      pod,
      container: withParts(container),
      adjust: adjustment,
      update: [...update],
      owners: owners.toMessage(),
      plugins: asked.map(({ base, index }) => ({ name: base, index })),
    };
    const validators = this.#plugins.filter((plugin) =>
      isSubscribed(plugin.events, 'validateContainerAdjustment'),
    );
    await Promise.all(
      validators.map(async (plugin) => {
        const response = await plugin.relay('validateContainerAdjustment', request);
        if (response?.reject)
          throw new Error(
            `validator "${plugin.name}" rejected container adjustment, reason: ${response.reason || 'unknown rejection reason'}`,
          );
      }),
    );
  }

  async #synchronize(plugin: Plugin): Promise<void> {
    const updates = await plugin.synchronize(this.#runtime.pods(), this.#runtime.containers());
    await this.#apply(updates, 'post-sync update failed');
    if (plugin.isClosed) throw new Error('the connection is closed');
    this.#plugins = [...this.#plugins, plugin].sort((a, b) =>
      a.index < b.index ? -1 : a.index > b.index ? 1 : 0,
    );
    this.#tell(plugin, 'synchronized');
  }

  async #apply(updates: readonly ContainerUpdate[], message: string): Promise<void> {
    const failed = updates.length === 0 ? [] : await this.#runtime.update(updates);
    if (failed.length === 0) return;
    const { log, rules } = this.#options;
    log.warn(`${message}: ${failed.map(({ containerId }) => containerId).join(', ')}`);
    if (rules.failsOnUpdates) throw new Error(rules.updateFailure);
  }

  async #updateFor(plugin: Plugin, updates: readonly ContainerUpdate[], evictions: number) {
    this.#warnOfEviction(plugin, evictions);
    const failed = await this.#inOrder(() => this.#runtime.update(updates));
    // Go's ttrpc sends no response with an error: the plugin doesn't learn which updates failed (domain.go).
    if (failed.length > 0) throw new TtrpcError('status', Code.UNKNOWN, this.#options.rules.updateFailure);
    return failed;
  }

  #warnOfEviction({ name }: Plugin, count: number): void {
    if (count > 0)
      this.#options.log.warn(
        `plugin "${name}" asks for the eviction of ${count} container(s): nothing happens, as in containerd and CRI-O`,
      );
  }

  #forget(plugin: Plugin): void {
    if (!this.#plugins.includes(plugin)) return;
    this.#plugins = this.#plugins.filter((one) => one !== plugin);
    this.#options.log.info(`connection to plugin "${plugin.name}" closed`);
    this.#tell(plugin, 'lost');
  }

  #tell({ name: plugin, connection, events }: Plugin, what: PluginStep['what']): void {
    const wanted = what === 'lost' ? undefined : eventNames(events);
    this.#options.onPlugin?.({ plugin, connection, what, events: wanted });
  }
}

/** Rewrites a plugin's error into the words of a Go program. */
function inGo(error: unknown): unknown {
  if (!(error instanceof TtrpcError) || error.kind !== 'status') return error;
  const name = codeName(error.code)
    .toLowerCase()
    .replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  return new Error(`rpc error: code = ${name} desc = ${error.message}`, { cause: error });
}
