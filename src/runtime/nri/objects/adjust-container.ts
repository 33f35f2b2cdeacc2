import { setEntry } from '../../../cri/map-entry.js';
import type { CdiEdits } from '../../cdi/edits.js';
import {
  Container,
  type ContainerAdjustment,
  Hooks,
  LinuxContainer,
  type LinuxContainerAdjustment,
  LinuxCPU,
  type LinuxDevice,
  LinuxMemory,
  LinuxResources,
  type Mount,
} from '../gen/nri/v1alpha1/api.js';
import { markedForRemoval } from '../merge/removal.js';
import type { NriRules } from '../rules.js';
import { editContainer } from './cdi-edits.js';
import { depthOf } from './mounts.js';

type SpecRules = Pick<NriRules, 'hugePages'>;

/** Applies the plugins' adjustments, and the `edits` of added CDI devices (nri pkg/runtime-tools/generate). */
export function adjustContainer(
  given: Container,
  adjustment: ContainerAdjustment,
  rules: SpecRules,
  edits: CdiEdits = {},
): Container {
  let container = Container.fromPartial({ ...given, hooks: given.hooks ?? {}, linux: given.linux ?? {} });
  changeMap(container.annotations, adjustment.annotations);
  container.env = changeEnv(container.env, adjustment.env);
  if (adjustment.args.length > 0) container.args = adjustment.args;
  const hooks = container.hooks ?? Hooks.fromPartial({});
  for (const kind of Object.keys(hooks) as (keyof Hooks)[])
    hooks[kind] = hooks[kind].concat(adjustment.hooks?.[kind] ?? []);
  container = editContainer(container, edits);
  container.CDIDevices = container.CDIDevices.concat(adjustment.CDIDevices);
  if (adjustment.linux !== undefined)
    container.linux = changeLinux(container.linux ?? LinuxContainer.fromPartial({}), adjustment.linux, rules);
  container.mounts = changeMounts(container.mounts, adjustment.mounts);
  container.rlimits = container.rlimits.concat(adjustment.rlimits);
  return container;
}

/** A marked key removes; any other sets. */
function changeMap(map: { [key: string]: string }, given: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(given)) {
    const removed = markedForRemoval(key);
    if (removed === undefined) setEntry(map, key, value);
    else delete map[removed];
  }
}

/** Existing variables keep their places; new ones come last. */
function changeEnv(given: readonly string[], changes: ContainerAdjustment['env']): string[] {
  const values = new Map(given.map((variable) => [variable.split('=', 1)[0] ?? '', variable]));
  for (const { key, value } of changes) {
    const removed = markedForRemoval(key);
    if (removed === undefined) values.set(key, `${key}=${value}`);
    else values.delete(removed);
  }
  return [...values.values()];
}

/** Appends new items; an item of the same name replaces the old one, a marked name removes it. */
function changeList<T>(given: readonly T[], changes: readonly T[], nameOf: (item: T) => string): T[] {
  const changed = new Map<string, T | undefined>();
  for (const change of changes) {
    const removed = markedForRemoval(nameOf(change));
    const name = removed ?? nameOf(change);
    changed.delete(name);
    changed.set(name, removed === undefined ? change : undefined);
  }
  const kept = given.filter((item) => !changed.has(nameOf(item)));
  return kept.concat([...changed.values()].flatMap((item) => item ?? []));
}

/** By depth and name, so that no mount hides one below it. */
function changeMounts(given: readonly Mount[], changes: readonly Mount[]): Mount[] {
  if (changes.length === 0) return [...given];
  const mounts = changeList(given, changes, ({ destination }) => destination);
  const byName = (a: Mount, b: Mount) => (a.destination < b.destination ? -1 : 1);
  return mounts.sort((a, b) => depthOf(a.destination) - depthOf(b.destination) || byName(a, b));
}

function changeLinux(
  given: LinuxContainer,
  changes: LinuxContainerAdjustment,
  rules: SpecRules,
): LinuxContainer {
  const linux = LinuxContainer.fromPartial(given);
  linux.resources = changeResources(linux.resources, changes.resources, rules);
  changeDevices(linux, changes.devices);
  if (changes.cgroupsPath !== '') linux.cgroupsPath = changes.cgroupsPath;
  linux.oomScoreAdj = changes.oomScoreAdj ?? linux.oomScoreAdj;
  linux.ioPriority = changes.ioPriority ?? linux.ioPriority;
  linux.scheduler = changes.scheduler ?? linux.scheduler;
  linux.seccompPolicy = changes.seccompPolicy ?? linux.seccompPolicy;
  linux.namespaces = changeList(linux.namespaces, changes.namespaces, ({ type }) => type);
  changeMap(linux.sysctl, changes.sysctl);
  for (const [name, device] of Object.entries(changes.netDevices)) {
    const removed = markedForRemoval(name);
    if (removed === undefined) setEntry(linux.netDevices, name, device);
    else delete linux.netDevices[removed];
  }
  const { rdt } = changes;
  if (rdt?.remove) linux.rdt = undefined;
  else if (rdt?.closId ?? rdt?.schemata ?? rdt?.enableMonitoring) {
    const { closId, schemata, enableMonitoring } = rdt;
    const before = linux.rdt;
    linux.rdt = {
      remove: false,
      closId: closId ?? before?.closId ?? { value: '' },
      schemata: schemata ?? before?.schemata ?? { value: [] },
      enableMonitoring: enableMonitoring ?? before?.enableMonitoring ?? { value: false },
    };
  }
  return linux;
}

function changeDevices(linux: LinuxContainer, changes: readonly LinuxDevice[]): void {
  linux.devices = changeList(linux.devices, changes, ({ path }) => path);
  for (const device of changes) {
    if (markedForRemoval(device.path) !== undefined) continue;
    const { type, major, minor } = device;
    const access = type === 'b' ? 'rwm' : 'rw';
    const rule = { allow: true, type, major: { value: major }, minor: { value: minor }, access };
    linux.resources?.devices.push(rule);
  }
}

/** A memory limit sets swap too; other fields of memory have no effect (generate.go, AdjustResources). */
export function changeResources(
  given: LinuxResources | undefined,
  changes: LinuxResources | undefined,
  rules: SpecRules,
): LinuxResources {
  const resources = LinuxResources.fromPartial(given ?? {});
  if (changes === undefined) return resources;
  const set = Object.entries(changes.cpu ?? {}).filter(([, value]) => value !== undefined && value !== '');
  if (set.length > 0) resources.cpu = LinuxCPU.fromPartial({ ...resources.cpu, ...Object.fromEntries(set) });
  const limit = changes.memory?.limit;
  if (limit !== undefined && limit.value !== 0n)
    resources.memory = LinuxMemory.fromPartial({ ...resources.memory, limit, swap: limit });
  resources.hugepageLimits = rules.hugePages ? resources.hugepageLimits.concat(changes.hugepageLimits) : [];
  for (const [name, value] of Object.entries(changes.unified)) setEntry(resources.unified, name, value);
  resources.pids = changes.pids ?? resources.pids;
  resources.blockioClass = changes.blockioClass ?? resources.blockioClass;
  resources.rdtClass = changes.rdtClass ?? resources.rdtClass;
  resources.devices = resources.devices.concat(changes.devices);
  return resources;
}
