import type { ContainerCreateOptions, DeviceMapping, HostConfig, MountSettings } from 'dockerode';
import { invalid, unsupported } from '../../../src/cri/errors.js';
import {
  type Device,
  type KeyValue,
  type Mount,
  MountPropagation,
  NamespaceMode,
  type NamespaceOption,
} from '../../../src/cri/gen/runtime/v1/api.js';
import type { ContainerSpec } from '../../../src/runtime/engine/backend.js';
import { type ContainerFacts, containerLabels, dockerName } from '../labels.js';
import { limitsOf } from './resources.js';
import { containerSecurity } from './security.js';

const propagation = {
  [MountPropagation.PROPAGATION_PRIVATE]: 'rprivate',
  [MountPropagation.PROPAGATION_HOST_TO_CONTAINER]: 'rslave',
  [MountPropagation.PROPAGATION_BIDIRECTIONAL]: 'rshared',
  [MountPropagation.UNRECOGNIZED]: 'rprivate',
} as const;

/** A device without permissions gets all of them, as in Docker. */
const deviceMapping = ({ hostPath, containerPath, permissions }: Device): DeviceMapping => ({
  PathOnHost: hostPath,
  PathInContainer: containerPath,
  CgroupPermissions: permissions || 'rwm',
});

export async function containerOptions(
  spec: ContainerSpec,
  facts: ContainerFacts,
  { runtime, lowestOomScore }: { readonly runtime: string; readonly lowestOomScore: number },
): Promise<ContainerCreateOptions> {
  const { config, sandboxConfig, image } = spec;
  if (config.CDIDevices.length > 0) throw unsupported('the Docker backend has no CDI devices');
  const security = config.linux?.securityContext;
  const resources = config.linux?.resources;
  const podSecurity = sandboxConfig.linux?.securityContext;
  const hostConfig: HostConfig = {
    ...(await containerSecurity(security, podSecurity?.supplementalGroups ?? [])),
    ...limitsOf(resources),
    ...namespaces(spec.sandboxId, security?.namespaceOptions ?? podSecurity?.namespaceOptions),
    Mounts: config.mounts.map(bindMount),
    Devices: config.devices.map(deviceMapping),
    OomScoreAdj: Math.max(Number(resources?.oomScoreAdj ?? 0n), lowestOomScore),
    ...(sandboxConfig.linux?.cgroupParent && { CgroupParent: sandboxConfig.linux.cgroupParent }),
    // Unlimited, so that no output is lost while the server is down; only the CRI log is rotated.
    LogConfig: { Type: spec.logPath === undefined ? 'none' : 'json-file', Config: {} },
    ...(runtime !== '' && { Runtime: runtime }),
  };
  return {
    name: dockerName(spec.id),
    Image: image.id,
    Labels: { ...containerLabels(spec, facts) },
    ...(config.command.length > 0 && { Entrypoint: config.command }),
    ...(config.args.length > 0 && { Cmd: config.args }),
    Env: config.envs.map(variable),
    ...(config.workingDir !== '' && { WorkingDir: config.workingDir }),
    ...(facts.user !== '' && { User: facts.user }),
    OpenStdin: config.stdin,
    StdinOnce: config.stdinOnce,
    Tty: config.tty,
    // The kubelet runs the probes; an image's own health check would only cost time.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig,
  };
}

/** A bind mount, whose host path must exist. Throws `unsupported` if Docker can't mount it. */
function bindMount(mount: Mount): MountSettings {
  const at = `mount at "${mount.containerPath}"`;
  if (mount.image !== undefined && mount.image.image !== '')
    throw unsupported(`${at}: the Docker backend can't mount images`);
  if (mount.uidMappings.length + mount.gidMappings.length > 0)
    throw unsupported(`${at}: Docker has no id-mapped mounts`);
  if (mount.mountOptions.length > 0)
    throw unsupported(`${at}: Docker does not support mount options, got ${mount.mountOptions.join(', ')}`);
  return {
    Type: 'bind',
    Source: mount.hostPath,
    Target: mount.containerPath,
    ReadOnly: mount.readonly,
    BindOptions: { Propagation: propagation[mount.propagation] },
  };
}

function namespaces(sandboxId: string, options: NamespaceOption | undefined): HostConfig {
  const sandbox = `container:${dockerName(sandboxId)}`;
  return {
    NetworkMode: sandbox,
    IpcMode: sandbox,
    ...pidMode(options, sandbox),
  };
}

function pidMode(options: NamespaceOption | undefined, sandbox: string): HostConfig {
  switch (options?.pid ?? NamespaceMode.POD) {
    case NamespaceMode.POD:
      return { PidMode: sandbox };
    case NamespaceMode.NODE:
      return { PidMode: 'host' };
    case NamespaceMode.TARGET:
      return { PidMode: `container:${dockerName(options?.targetId ?? '')}` };
    default:
      return {};
  }
}

/** Docker takes variables as JSON, which can't hold bytes. */
function variable({ key, value }: KeyValue): string {
  const text = value.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(value))
    throw invalid(`the value of environment variable ${key} is not UTF-8, which Docker needs`);
  return `${key}=${text}`;
}
