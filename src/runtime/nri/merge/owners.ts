import { setEntry } from '../../../cri/map-entry.js';
import { Field, type FieldOwners, type OwningPlugins } from '../gen/nri/v1alpha1/api.js';
import { markedForRemoval, removalOf } from './removal.js';

/** Two plugins set the same field (nri pkg/api/owners.go). Fails the request of the client. */
export class AdjustmentConflict extends Error {
  override readonly name = 'AdjustmentConflict';
}

/** The plugin that sets each field. A second claim is a conflict, unless it removes the first one's value. */
export class Owners {
  /** Without a prototype: plugins choose the ids of containers. */
  readonly #containers: { [id: string]: FieldOwners } = Object.create(null);

  toMessage(): OwningPlugins {
    return { owners: this.#containers };
  }

  /** Throws AdjustmentConflict. */
  claim(container: string, field: Field, plugin: string): void {
    const { simple } = this.#of(container);
    refuseOther(simple[field], plugin, `${Field[field]} `);
    simple[field] = plugin;
  }

  /** Like `claim`, for an entry of a list or map. */
  claimEntry(container: string, field: Field, entry: string, plugin: string): void {
    const entries = this.#entries(container, field);
    refuseOther(entries.get(entry), plugin, `${Field[field]} ${entry}`);
    entries.set(entry, plugin);
  }

  /** All plugins that add to the field own it. */
  share(container: string, field: Field, plugin: string): void {
    const { simple } = this.#of(container);
    const others = simple[field];
    simple[field] = others === undefined ? plugin : `${others},${plugin}`;
  }

  clear(container: string, field: Field, plugin: string): void {
    this.#of(container).simple[field] = removalOf(plugin);
  }

  clearEntry(container: string, field: Field, entry: string, plugin: string): void {
    this.#entries(container, field).set(entry, removalOf(plugin));
  }

  /** The owner of a field; commas separate several. */
  owner(container: string, field: Field): string | undefined {
    return this.#containers[container]?.simple[field];
  }

  entryOwners(container: string, field: Field): Readonly<Record<string, string>> {
    return this.#containers[container]?.compound[field]?.owners ?? {};
  }

  #of(container: string): FieldOwners {
    this.#containers[container] ??= { simple: {}, compound: {} };
    return this.#containers[container];
  }

  #entries(container: string, field: Field) {
    const { compound } = this.#of(container);
    compound[field] ??= { owners: {} };
    const { owners } = compound[field];
    return {
      get: (entry: string) => (Object.hasOwn(owners, entry) ? owners[entry] : undefined),
      set: (entry: string, plugin: string) => setEntry(owners, entry, plugin),
    };
  }
}

export function describeOwners({ owners }: OwningPlugins, id: string): Record<string, unknown> {
  const { simple = {}, compound = {} } = owners[id] ?? {};
  return Object.fromEntries([
    ...Object.entries(simple).map(([field, plugin]) => [Field[Number(field)], plugin]),
    ...Object.entries(compound).map(([field, entries]) => [Field[Number(field)], entries.owners]),
  ]);
}

function refuseOther(owner: string | undefined, plugin: string, what: string): void {
  if (owner === undefined) return;
  const clearer = markedForRemoval(owner);
  if (clearer === plugin) return;
  throw new AdjustmentConflict(`plugins "${plugin}" and "${clearer ?? owner}" both tried to set ${what}`);
}
