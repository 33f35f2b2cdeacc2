import {
  type ContainerConfig,
  Device as CriDevice,
  Mount as CriMount,
} from '../../../cri/gen/runtime/v1/api.js';
import { setEntry } from '../../../cri/map-entry.js';
import type { CdiEdits, CdiRdt, DeviceNode } from '../../cdi/edits.js';
import { fullNode } from '../../cdi/host-device.js';
import {
  Container,
  Hook,
  Hooks,
  LinuxContainer,
  LinuxDevice,
  LinuxRdt,
  LinuxResources,
  Mount,
} from '../gen/nri/v1alpha1/api.js';
import { depthOf, hasBindOption } from './mounts.js';

/** Applies the edits of its CDI devices to a container (container-device-interface pkg/cdi, ContainerEdits.Apply). */
export function editContainer(given: Container, edits: CdiEdits): Container {
  const { env = [], mounts = [], hooks = [], additionalGids = [], netDevices = [] } = edits;
  const container = Container.fromPartial({ ...given, hooks: given.hooks ?? {}, linux: given.linux ?? {} });
  container.env = withVariables(container.env, env);
  for (const node of edits.deviceNodes ?? []) addDevice(container, node);
  if (mounts.length > 0) container.mounts = withMounts(container.mounts, mounts);
  const all = container.hooks ?? Hooks.fromPartial({});
  for (const { hookName, timeout, ...hook } of hooks)
    all[hookName].push(
      Hook.fromPartial({
        path: hook.path,
        args: [...(hook.args ?? [])],
        env: [...(hook.env ?? [])],
        ...(timeout !== undefined && { timeout: { value: BigInt(timeout) } }),
      }),
    );
  const linux = container.linux ?? LinuxContainer.fromPartial({});
  for (const { hostInterfaceName, name } of netDevices)
    setEntry(linux.netDevices, hostInterfaceName, { name });
  if (edits.intelRdt !== undefined) linux.rdt = rdtOf(edits.intelRdt);
  const groups = additionalGids.filter((id) => id !== 0);
  if (container.user !== undefined && groups.length > 0)
    container.user.additionalGids = [...new Set([...container.user.additionalGids, ...groups])];
  return container;
}

/** Applies the part of the edits that a backend supports, and removes the names of CDI devices. */
export function editConfig(config: ContainerConfig, edits: CdiEdits): ContainerConfig {
  const { env = [], deviceNodes = [], mounts = [], additionalGids = [] } = edits;
  const variables = env.map((variable) => {
    const at = variable.indexOf('=');
    return { key: variable.slice(0, at), value: Buffer.from(variable.slice(at + 1)) };
  });
  const gone = new Set(mounts.map(({ containerPath }) => containerPath));
  const added = mounts.filter(({ type = '', options = [] }) => isBind(type, options));
  const security = config.linux?.securityContext;
  return {
    ...config,
    CDIDevices: [],
    envs: [...config.envs, ...variables],
    devices: [...config.devices, ...deviceNodes.map(criDevice)],
    mounts: [
      ...config.mounts.filter(({ containerPath }) => !gone.has(containerPath)),
      ...added.map(({ containerPath, hostPath, options = [] }) =>
        CriMount.fromPartial({ containerPath, hostPath, readonly: options.includes('ro') }),
      ),
    ],
    linux: config.linux && {
      ...config.linux,
      securityContext: security && {
        ...security,
        supplementalGroups: [...security.supplementalGroups, ...additionalGids.map(BigInt)],
      },
    },
  };
}

const isBind = (type: string, options: readonly string[]): boolean =>
  type === '' || type === 'bind' || hasBindOption(options);

const criDevice = ({ path, hostPath, permissions }: DeviceNode): CriDevice =>
  CriDevice.fromPartial({
    containerPath: path,
    hostPath: hostPath || path,
    permissions: permissions || 'rwm',
  });

/** Existing variables keep their places. */
function withVariables(given: readonly string[], env: readonly string[]): string[] {
  const byName = new Map([...given, ...env].map((variable) => [variable.split('=', 1)[0], variable]));
  return [...byName.values()];
}

function addDevice({ linux, user }: Container, node: DeviceNode): void {
  if (linux === undefined) return;
  const { path, type, major, minor, fileMode, permissions, ...owner } = fullNode(node);
  const optional = (value: number | undefined) => (value ? { value } : undefined);
  const uid = owner.uid === undefined ? optional(user?.uid) : { value: owner.uid };
  const gid = owner.gid === undefined ? optional(user?.gid) : { value: owner.gid };
  const device = LinuxDevice.fromPartial({
    path,
    type,
    major: BigInt(major),
    minor: BigInt(minor),
    fileMode: fileMode === undefined ? undefined : { value: fileMode },
    uid,
    gid,
  });
  linux.devices = [...linux.devices.filter((each) => each.path !== path), device];
  if (type !== 'b' && type !== 'c') return;
  linux.resources ??= LinuxResources.fromPartial({});
  linux.resources.devices.push({
    allow: true,
    type,
    major: { value: device.major },
    minor: { value: device.minor },
    access: permissions || 'rwm',
  });
}

/** By depth, so that no mount hides one below it. */
function withMounts(given: readonly Mount[], added: NonNullable<CdiEdits['mounts']>): Mount[] {
  const mounts = [...given];
  for (const { containerPath, hostPath, type = '', options = [] } of added) {
    const at = mounts.findIndex(({ destination }) => destination === containerPath);
    if (at >= 0) mounts.splice(at, 1);
    mounts.push(
      Mount.fromPartial({ destination: containerPath, source: hostPath, type, options: [...options] }),
    );
  }
  return mounts.sort((a, b) => depthOf(a.destination) - depthOf(b.destination));
}

function rdtOf({ closID, l3CacheSchema, memBwSchema, schemata = [], enableMonitoring }: CdiRdt): LinuxRdt {
  const lines = [l3CacheSchema, memBwSchema, ...schemata].flatMap((line) => line || []);
  return LinuxRdt.fromPartial({
    ...(closID && { closId: { value: closID } }),
    ...(lines.length > 0 && { schemata: { value: lines } }),
    ...(enableMonitoring && { enableMonitoring: { value: true } }),
  });
}
