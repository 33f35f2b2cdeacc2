import {
  Container,
  ContainerAdjustment,
  Field,
  Hooks,
  type LinuxContainer,
  type LinuxContainerAdjustment,
  LinuxRdt,
  LinuxResources,
} from '../gen/nri/v1alpha1/api.js';
import { type Claimant, mergeList, mergeMap } from './entries.js';
import type { Owners } from './owners.js';
import { markedForRemoval } from './removal.js';
import { mergeResources } from './resources.js';

export const emptyAdjustment = (): ContainerAdjustment =>
  ContainerAdjustment.fromPartial({ hooks: {}, linux: { resources: { memory: {}, cpu: {} } } });

export const withParts = (container: Container): Container =>
  Container.fromPartial({
    ...container,
    hooks: container.hooks ?? {},
    linux: {
      ...container.linux,
      resources: {
        ...container.linux?.resources,
        memory: container.linux?.resources?.memory ?? {},
        cpu: container.linux?.resources?.cpu ?? {},
      },
    },
  });

/** Collects the plugins' adjustments of a container; each plugin sees the earlier ones (nri adaptation/result.go). */
export class Adjustments {
  /** The changes for the runtime. */
  readonly collected = emptyAdjustment();
  /** The changes for the next plugin. */
  readonly container: Container;
  readonly #owners: Owners;

  constructor(container: Container, owners: Owners) {
    this.container = withParts(container);
    this.#owners = owners;
  }

  /** Throws AdjustmentConflict. */
  add(given: ContainerAdjustment, plugin: string): void {
    const claimant: Claimant = { owners: this.#owners, container: this.container.id, plugin };
    const { collected, container: seen } = this;
    mergeMap(claimant, Field.Annotations, given.annotations, {
      collected: collected.annotations,
      seen: seen.annotations,
      none: '',
    });
    this.#mounts(claimant, given);
    this.#env(claimant, given);
    this.#args(claimant, given.args);
    this.#hooks(claimant, given.hooks);
    if (given.linux !== undefined) this.#linux(claimant, given.linux);
    for (const limit of given.rlimits) {
      this.#owners.claimEntry(seen.id, Field.Rlimits, limit.type, plugin);
      seen.rlimits.push(limit);
      collected.rlimits.push(limit);
    }
    for (const device of given.CDIDevices) {
      this.#owners.claimEntry(seen.id, Field.CdiDevices, device.name, plugin);
      collected.CDIDevices.push(device);
    }
  }

  #mounts(claimant: Claimant, { mounts }: ContainerAdjustment): void {
    const { collected, container: seen } = this;
    const merged = mergeList(claimant, {
      field: Field.Mounts,
      items: mounts,
      nameOf: ({ destination }) => destination,
      collected: collected.mounts,
      seen: seen.mounts,
      seenName: ({ destination }) => destination,
      see: (mount) => mount,
      passesRemovals: true,
    });
    collected.mounts = merged.collected;
    seen.mounts = merged.seen;
  }

  /** The container's own variables can be changed but not removed: the mark is not passed. */
  #env(claimant: Claimant, { env }: ContainerAdjustment): void {
    const { collected, container: seen } = this;
    const merged = mergeList(claimant, {
      field: Field.Env,
      items: env,
      nameOf: ({ key }) => key,
      collected: collected.env,
      seen: seen.env,
      seenName: (variable) => variable.split('=', 1)[0] ?? '',
      see: ({ key, value }) => `${key}=${value}`,
      passesRemovals: false,
    });
    collected.env = merged.collected;
    seen.env = merged.seen;
  }

  /** An empty first argument replaces another plugin's arguments. */
  #args({ owners, container, plugin }: Claimant, given: readonly string[]): void {
    if (given.length === 0) return;
    if (given[0] === '') owners.clear(container, Field.Args, plugin);
    owners.claim(container, Field.Args, plugin);
    const args = given[0] === '' ? given.slice(1) : given;
    this.collected.args = [...args];
    this.container.args = [...args];
  }

  #hooks({ owners, container, plugin }: Claimant, given: Hooks | undefined): void {
    if (given === undefined) return;
    const kinds = (Object.keys(given) as (keyof Hooks)[]).filter((kind) => given[kind].length > 0);
    const { collected, container: seen } = this;
    collected.hooks ??= Hooks.fromPartial({});
    seen.hooks ??= Hooks.fromPartial({});
    for (const kind of kinds) {
      collected.hooks[kind] = collected.hooks[kind].concat(given[kind]);
      seen.hooks[kind] = seen.hooks[kind].concat(given[kind]);
    }
    if (kinds.length > 0) owners.share(container, Field.OciHooks, plugin);
  }

  #linux(claimant: Claimant, given: LinuxContainerAdjustment): void {
    const seen = this.container.linux as LinuxContainer;
    const collected = this.collected.linux as LinuxContainerAdjustment;
    const { owners, container, plugin } = claimant;
    const devices = mergeList(claimant, {
      field: Field.Devices,
      items: given.devices,
      nameOf: ({ path }) => path,
      collected: collected.devices,
      seen: seen.devices,
      seenName: ({ path }) => path,
      see: (device) => device,
      passesRemovals: false,
    });
    collected.devices = devices.collected;
    seen.devices = devices.seen;
    if (given.resources !== undefined) {
      seen.resources ??= LinuxResources.fromPartial({});
      collected.resources ??= LinuxResources.fromPartial({});
      mergeResources(claimant, given.resources, [seen.resources, collected.resources]);
    }
    for (const [key, field] of single) {
      const value = given[key];
      if (value === undefined || value === '') continue;
      owners.claim(container, field, plugin);
      Object.assign(seen, { [key]: value });
      Object.assign(collected, { [key]: value });
    }
    this.#namespaces(claimant, given, seen, collected);
    mergeMap(claimant, Field.Sysctl, given.sysctl, {
      collected: collected.sysctl,
      seen: seen.sysctl,
      none: '',
    });
    mergeMap(claimant, Field.LinuxNetDevices, given.netDevices, {
      collected: collected.netDevices,
      seen: seen.netDevices,
      none: { name: '' },
    });
    collected.rdt = mergeRdt(claimant, given.rdt, collected.rdt ?? LinuxRdt.fromPartial({}));
    if (given.memoryPolicy !== undefined) {
      owners.claim(container, Field.MemoryPolicy, plugin);
      collected.memoryPolicy = given.memoryPolicy;
    }
  }

  #namespaces(
    { owners, container, plugin }: Claimant,
    given: LinuxContainerAdjustment,
    seen: LinuxContainer,
    collected: LinuxContainerAdjustment,
  ): void {
    const byType = new Map(seen.namespaces.map((each) => [each.type, each]));
    for (const namespace of given.namespaces) {
      const removed = markedForRemoval(namespace.type);
      owners.claimEntry(container, Field.Namespace, removed ?? namespace.type, plugin);
      if (removed === undefined) byType.set(namespace.type, namespace);
      else byType.delete(removed);
      collected.namespaces.push(namespace);
    }
    seen.namespaces = [...byType.values()];
  }
}

/** Fields with one value: that of the last plugin that may set it. */
const single = [
  ['cgroupsPath', Field.CgroupsPath],
  ['oomScoreAdj', Field.OomScoreAdj],
  ['ioPriority', Field.IoPriority],
  ['seccompPolicy', Field.SeccompPolicy],
  ['scheduler', Field.LinuxSched],
] as const;

const rdtFields = [
  ['closId', Field.RdtClosID],
  ['schemata', Field.RdtSchemata],
  ['enableMonitoring', Field.RdtEnableMonitoring],
] as const;

function mergeRdt(
  { owners, container, plugin }: Claimant,
  given: LinuxRdt | undefined,
  collected: LinuxRdt | undefined,
): LinuxRdt | undefined {
  if (given === undefined) return collected;
  if (given.remove) for (const [, field] of rdtFields) owners.clear(container, field, plugin);
  const merged = given.remove
    ? LinuxRdt.fromPartial({ remove: true })
    : LinuxRdt.fromPartial(collected ?? {});
  for (const [key, field] of rdtFields) {
    if (given[key] === undefined) continue;
    owners.claim(container, field, plugin);
    Object.assign(merged, { [key]: given[key], remove: false });
  }
  return merged;
}
