import { ContainerUpdate, LinuxResources } from '../gen/nri/v1alpha1/api.js';
import { AdjustmentConflict, Owners } from './owners.js';
import { mergeResources } from './resources.js';

export interface UpdatedContainer {
  readonly id: string;
  resources: LinuxResources;
}

export class Updates {
  readonly #owners: Owners;
  readonly #created: string | undefined;
  readonly #updated: UpdatedContainer | undefined;
  readonly #all = new Map<string, ContainerUpdate>();

  /** `created`: the new container, which can't be updated; `updated`: the container of the request. */
  constructor(
    owners: Owners,
    about: { readonly created?: string; readonly updated?: UpdatedContainer } = {},
  ) {
    this.#owners = owners;
    this.#created = about.created;
    this.#updated = about.updated;
  }

  /** Throws AdjustmentConflict, unless the plugin ignores failures. */
  add(updates: readonly ContainerUpdate[], plugin: string): void {
    for (const update of updates) this.#add(update, plugin);
  }

  get others(): readonly ContainerUpdate[] {
    return [...this.#all.values()].filter(({ containerId }) => containerId !== this.#updated?.id);
  }

  /** The resources of the updated container; undefined if no plugin has changed them. */
  get own(): LinuxResources | undefined {
    return this.#all.get(this.#updated?.id ?? '')?.linux?.resources;
  }

  #add(update: ContainerUpdate, plugin: string): void {
    const { containerId: container, ignoreFailure } = update;
    if (container === this.#created)
      throw new AdjustmentConflict(`plugin "${plugin}" asked update of "${container}" during creation`);
    const known = this.#all.get(container);
    const reply = known ?? emptyUpdate(container, ignoreFailure);
    reply.ignoreFailure &&= ignoreFailure;
    this.#all.set(container, reply);
    const given = update.linux?.resources;
    if (given === undefined) return;
    const wanted = { ...given, devices: [] };
    try {
      // Without a target: an ignored failure changes nothing.
      mergeResources({ owners: this.#owners, container, plugin }, wanted, []);
    } catch (error) {
      if (ignoreFailure && error instanceof AdjustmentConflict) return;
      throw error;
    }
    const resources = this.#merged(reply);
    mergeResources({ owners: new Owners(), container, plugin }, wanted, [resources]);
  }

  #merged(reply: ContainerUpdate): LinuxResources {
    const updated = this.#updated;
    if (reply.containerId === updated?.id && reply.linux?.resources !== updated.resources) {
      updated.resources = LinuxResources.fromPartial(updated.resources);
      reply.linux = { resources: updated.resources };
    }
    reply.linux ??= { resources: undefined };
    reply.linux.resources ??= LinuxResources.fromPartial({});
    return reply.linux.resources;
  }
}

const emptyUpdate = (containerId: string, ignoreFailure: boolean): ContainerUpdate =>
  ContainerUpdate.fromPartial({ containerId, ignoreFailure, linux: { resources: { memory: {}, cpu: {} } } });
