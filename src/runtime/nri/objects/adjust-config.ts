import type {
  ContainerConfig,
  Mount as CriMount,
  LinuxContainerResources,
} from '../../../cri/gen/runtime/v1/api.js';
import {
  Device as Devices,
  Mount as Mounts,
  LinuxContainerResources as Resources,
} from '../../../cri/gen/runtime/v1/api.js';
import type { ContainerAdjustment, Mount } from '../gen/nri/v1alpha1/api.js';
import { markedForRemoval } from '../merge/removal.js';
import { hasBindOption } from './mounts.js';
import { toCri } from './resources.js';

/** Applies what a backend supports: environment, arguments, bind mounts, devices, limits. The OCI spec has the rest. */
export function adjustConfig(config: ContainerConfig, adjustment: ContainerAdjustment): ContainerConfig {
  const { args, env, mounts } = adjustment;
  const set = env.filter(({ key }) => markedForRemoval(key) === undefined);
  const variables = set.map(({ key, value }) => ({ key, value: Buffer.from(value) }));
  return {
    ...config,
    ...(args.length > 0 && { command: args, args: [] }),
    envs: [...config.envs, ...variables],
    mounts: adjustMounts(config.mounts, mounts),
    devices: adjustDevices(config.devices, adjustment),
    linux: config.linux && { ...config.linux, resources: adjustLimits(config.linux.resources, adjustment) },
  };
}

function adjustMounts(given: readonly CriMount[], changes: readonly Mount[]): CriMount[] {
  const names = changes.map(({ destination }) => markedForRemoval(destination) ?? destination);
  const gone = new Set(names);
  const added = changes.filter(
    ({ destination, type, options }) =>
      markedForRemoval(destination) === undefined && (type === 'bind' || hasBindOption(options)),
  );
  return [
    ...given.filter(({ containerPath }) => !gone.has(containerPath)),
    ...added.map(({ destination, source, options }) =>
      Mounts.fromPartial({ containerPath: destination, hostPath: source, readonly: options.includes('ro') }),
    ),
  ];
}

function adjustDevices(given: readonly Devices[], { linux }: ContainerAdjustment): Devices[] {
  const changes = linux?.devices ?? [];
  const gone = new Set(changes.map(({ path }) => markedForRemoval(path) ?? path));
  const added = changes.filter(({ path }) => markedForRemoval(path) === undefined);
  return [
    ...given.filter(({ containerPath }) => !gone.has(containerPath)),
    ...added.map(({ path }) =>
      Devices.fromPartial({ containerPath: path, hostPath: path, permissions: 'rwm' }),
    ),
  ];
}

function adjustLimits(
  given: LinuxContainerResources | undefined,
  { linux }: ContainerAdjustment,
): LinuxContainerResources | undefined {
  const { resources, oomScoreAdj } = linux ?? {};
  const limits = resources === undefined ? {} : whatIsSet(toCri(resources));
  const merged = { ...given, ...limits, ...(oomScoreAdj && { oomScoreAdj: oomScoreAdj.value }) };
  const pids = resources?.pids === undefined ? {} : { 'pids.max': pidsMax(resources.pids.limit) };
  const unified = { ...given?.unified, ...resources?.unified, ...pids };
  return given === undefined && Object.keys({ ...merged, ...unified }).length === 0
    ? undefined
    : Resources.fromPartial({ ...merged, unified });
}

const pidsMax = (limit: bigint): string => (limit > 0n ? String(limit) : 'max');

function whatIsSet(resources: LinuxContainerResources): Partial<LinuxContainerResources> {
  const isSet = ([, value]: [string, unknown]) =>
    Array.isArray(value) ? value.length > 0 : typeof value !== 'object' && value !== 0n && value !== '';
  return Object.fromEntries(Object.entries(resources).filter(isSet));
}
