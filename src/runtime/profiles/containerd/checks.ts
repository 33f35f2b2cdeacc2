import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path/posix';
import { StatusError } from '../../../cri/errors.js';
import {
  type Device,
  type IDMapping,
  type ImageSpec,
  type LinuxContainerSecurityContext,
  type Mount,
  MountPropagation,
  NamespaceMode,
  type PodSandboxConfig,
  SecurityProfile_ProfileType as ProfileType,
  SupplementalGroupsPolicy,
} from '../../../cri/gen/runtime/v1/api.js';
import { Code } from '../../../cri/status-code.js';
import type { ConfigChecks, NamedContainer } from '../../engine/rules.js';
import { UNMADE_ID } from '../unmade-id.js';
import { bandwidthFault } from './bandwidth.js';
import { NO_SANDBOX, noSpec } from './errors.js';
import { logFault } from './log-fault.js';
import { GROUP_OUTSIDE, isOutside, startFault } from './start-fault.js';

/** Sysctls of the IPC namespace (runc, libcontainer/configs/validate). */
const IPC = new Set(
  ['msgmax', 'msgmnb', 'msgmni', 'sem', 'shmall', 'shmmax', 'shmmni', 'shm_rmid_forced'].map(
    (name) => `kernel.${name}`,
  ),
);

const NO_SECCOMP = 'failed to generate seccomp spec opts: seccomp unknown ProfileType';

/** The checks of containerd and runc, as measured; they refuse less than api.proto does. */
export const containerdChecks: ConfigChecks = {
  sandbox: checkSandbox,
  container: (config, sandbox, find) => {
    for (const mount of config.mounts) checkMount(mount);
    for (const device of config.devices) checkDevice(device);
    const security = config.linux?.securityContext;
    const { pid, targetId = '' } = security?.namespaceOptions ?? {};
    if (pid === NamespaceMode.TARGET) checkTarget(targetId, sandbox.id, find);
    if (security !== undefined) checkSecurity(security);
    const policy = security?.supplementalGroupsPolicy ?? 0;
    if (SupplementalGroupsPolicy[policy] === undefined)
      throw failed(
        `failed to get container spec opts: not implemented in this containerd release: SupplementalGroupsPolicy=${policy}`,
      );
    checkLabels(config.labels, '');
    if (security !== undefined) checkUser(security, '');
    // None exist.
    const devices = config.CDIDevices.map(({ name }) => name);
    if (devices.length > 0)
      throw failed(
        `${NO_CONTAINER}CDI device injection failed: unresolvable CDI devices ${devices.join(', ')}`,
      );
  },
  start: (config, id, logPath) => logFault(logPath) ?? startFault(config, id),
};

const failed = (text: string, code: number = Code.UNKNOWN): StatusError => new StatusError(code, text);

const NO_CONTAINER = 'failed to create containerd container: ';
const NO_TASK =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ';

/** HOST_NAME_MAX on Linux. */
const LONGEST_HOSTNAME = 64;

function checkSandbox(config: PodSandboxConfig): void {
  const prefix = NO_SANDBOX;
  const noTask = (reason: string) => failed(`${prefix}${NO_TASK}${reason}`);
  const security = config.linux?.securityContext;
  const { network, usernsOptions } = security?.namespaceOptions ?? {};
  const bandwidth = network === NamespaceMode.NODE ? undefined : bandwidthFault(config.annotations);
  if (bandwidth !== undefined)
    throw failed(
      `failed to setup network for sandbox "${UNMADE_ID}": get cni namespace options: reading pod bandwidth annotations: ${bandwidth}`,
    );
  if (usernsOptions !== undefined) {
    const fault = userNamespaceFault(usernsOptions);
    if (fault !== undefined)
      throw failed(
        `${prefix}failed to generate sandbox container spec: user namespace configuration: ${fault}`,
      );
  }
  if (security?.seccomp !== undefined && ProfileType[security.seccomp.profileType] === undefined)
    throw failed(`${prefix}failed to generate sandbox container spec options: ${NO_SECCOMP}`);
  checkLabels(config.labels, prefix);
  if (security !== undefined) checkUser(security, prefix);
  const { profileType, localhostRef = '' } = security?.seccomp ?? {};
  if (profileType === ProfileType.Localhost && !existsSync(localhostRef))
    throw failed(
      `${prefix}${NO_CONTAINER}cannot load seccomp profile "${localhostRef}": open ${localhostRef}: no such file or directory`,
    );
  if (security?.supplementalGroups.some(isOutside)) throw noTask(GROUP_OUTSIDE);
  const sysctl = sysctlFault(config);
  if (sysctl !== undefined) throw noTask(sysctl);
  if (config.hostname !== '' && network === NamespaceMode.NODE)
    throw noTask('unable to set hostname without a private UTS namespace');
  if (config.hostname.length > LONGEST_HOSTNAME)
    throw noTask(
      'unable to start container process: error during container init: sethostname: invalid argument',
    );
}

/** Returns why runc refuses a sysctl of a sandbox; does not check whether the kernel has it. */
function sysctlFault({ linux }: PodSandboxConfig): string | undefined {
  const { network, ipc } = linux?.securityContext?.namespaceOptions ?? {};
  for (const sysctl of Object.keys(linux?.sysctls ?? {})) {
    const name = sysctl.replaceAll('/', '.');
    if (name.startsWith('net.') && network === NamespaceMode.NODE)
      return `sysctl "${sysctl}" not allowed in host network namespace`;
    // The OCI spec has another field for the host name.
    if (name === 'kernel.hostname' && network !== NamespaceMode.NODE)
      return `sysctl "${sysctl}" is not allowed as it conflicts with the OCI "hostname" field`;
    const isOfIpc = IPC.has(name) || name.startsWith('fs.mqueue.');
    const isOwn = name.startsWith('net.') || (isOfIpc && ipc !== NamespaceMode.NODE);
    if (!isOwn) return `sysctl "${sysctl}" is not in a separate kernel namespace`;
  }
  return undefined;
}

type UserNamespace = NonNullable<
  NonNullable<LinuxContainerSecurityContext['namespaceOptions']>['usernsOptions']
>;

function userNamespaceFault({ mode, uids, gids }: UserNamespace): string | undefined {
  if (mode === NamespaceMode.NODE && uids.length + gids.length > 0)
    return `can't use user namespace mode "NODE" with mappings. Got ${uids.length} UID mappings and ${gids.length} GID mappings`;
  if (mode === NamespaceMode.NODE || mode === NamespaceMode.POD) return undefined;
  return `unsupported user namespace mode: "${NamespaceMode[mode] ?? mode}"`;
}

/** containerd's labels.Validate, and those of its database. */
const LONGEST_LABEL = 4096;
const SHOWN_KEY = 64;

function checkLabels(labels: Readonly<Record<string, string>>, prefix: string): void {
  for (const [key, value] of Object.entries(labels)) {
    const length = Buffer.byteLength(key) + Buffer.byteLength(value);
    if (length > LONGEST_LABEL)
      throw failed(
        `${prefix}${NO_CONTAINER}create container failed validation: containers.Labels: label key and value length (${length} bytes) greater than maximum size (${LONGEST_LABEL} bytes), key: ${key.slice(0, SHOWN_KEY)}: invalid argument`,
        Code.INVALID_ARGUMENT,
      );
  }
  const empty = labels[''];
  if (empty !== undefined)
    throw failed(
      `${prefix}${NO_CONTAINER}failed to write container "${UNMADE_ID}": failed to set label ""=${JSON.stringify(empty)}: key required`,
    );
}

type User = Pick<LinuxContainerSecurityContext, 'runAsUser' | 'runAsGroup'> & {
  readonly runAsUsername?: string;
};

function checkUser({ runAsUser, runAsGroup, runAsUsername = '' }: User, prefix: string): void {
  const user = runAsUsername || runAsUser?.value.toString();
  if (user === undefined) return;
  const value = runAsGroup === undefined ? user : `${user}:${runAsGroup.value}`;
  const refuse = (id: 'uid' | 'gid') =>
    failed(`${prefix}${NO_CONTAINER}invalid USER value "${value}": ${id} out of range`);
  if (runAsUsername === '' && isOutside(runAsUser?.value)) throw refuse('uid');
  if (isOutside(runAsGroup?.value)) throw refuse('gid');
}

/** containerd mounts images (mutateMounts). */
function checkMount(mount: Mount): void {
  const hasImage = mount.image !== undefined;
  const refuse = (reason: string) => failed(`failed to mount image volume: ${reason}`);
  if (hasImage && mount.hostPath !== '')
    throw refuse(`hostpath must be empty while mount image: ${mountText(mount)}`);
  if (hasImage && !mount.readonly)
    throw refuse(`readonly must be true while mount image: ${mountText(mount)}`);
  if (hasImage && mount.image?.image === '')
    throw refuse(`image not specified in: ${imageText(mount.image)}`);
  if (!hasImage && mount.hostPath === '')
    throw failed(noSpec('failed to generate spec: failed to mkdir "": mkdir : no such file or directory'));
}

function checkDevice({ hostPath }: Device): void {
  if (!isAbsolute(hostPath))
    throw failed(noSpec(`failed to generate spec: lstat ${hostPath}: no such file or directory`));
}

function checkTarget(id: string, sandboxId: string, find: (id: string) => NamedContainer | undefined): void {
  const refuse = (reason: string, code?: number) =>
    failed(
      noSpec(`failed to generate spec opts: invalid target container: container "${id}" ${reason}`),
      code,
    );
  if (id === '') throw refuse(`does not exist: prefix can't be empty`);
  const target = find(id);
  if (target === undefined) throw refuse('does not exist: not found', Code.NOT_FOUND);
  if (target.sandboxId !== sandboxId)
    throw refuse(`(sandbox ${target.sandboxId}) does not belong to sandbox ${sandboxId}`);
  if (target.state !== 'RUNNING') throw refuse(`is not running - in state CONTAINER_${target.state}`);
}

/** Names of profiles in the fields that api.proto has deprecated. */
const PROFILES = /^(|runtime\/default|docker\/default|unconfined|localhost\/.*)$/;

function checkSecurity({
  seccomp,
  seccompProfilePath,
  apparmor,
  apparmorProfile,
  privileged,
}: LinuxContainerSecurityContext): void {
  if (apparmor === undefined && !PROFILES.test(apparmorProfile))
    throw failed(noOpts('apparmor', `invalid profile "${apparmorProfile}"`));
  if (privileged) return;
  if (seccomp === undefined && !PROFILES.test(seccompProfilePath))
    throw failed(noOpts('seccomp', `invalid profile "${seccompProfilePath}"`));
  if (seccomp !== undefined && ProfileType[seccomp.profileType] === undefined)
    throw failed(`failed to get container spec opts: ${NO_SECCOMP}`);
}

const noOpts = (what: string, reason: string): string =>
  `failed to get container spec opts: failed to generate ${what} spec opts: ${reason}`;

/** Formats a message as the String() of its Go type (gogo/protobuf). */
function mountText(mount: Mount): string {
  const { containerPath, hostPath, readonly, selinuxRelabel, propagation, recursiveReadOnly } = mount;
  const fields = {
    ContainerPath: containerPath,
    HostPath: hostPath,
    Readonly: readonly,
    SelinuxRelabel: selinuxRelabel,
    Propagation: MountPropagation[propagation] ?? propagation,
    UidMappings: mappingsText(mount.uidMappings),
    GidMappings: mappingsText(mount.gidMappings),
    RecursiveReadOnly: recursiveReadOnly,
    Image: mount.image === undefined ? 'nil' : imageText(mount.image),
  };
  return structText('Mount', fields);
}

function imageText(image: ImageSpec | undefined): string {
  const annotations = Object.entries(image?.annotations ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return structText('ImageSpec', {
    Image: image?.image,
    Annotations: `map[string]string{${annotations.map(([key, value]) => `${key}: ${value},`).join('')}}`,
    UserSpecifiedImage: image?.userSpecifiedImage,
    RuntimeHandler: image?.runtimeHandler,
  });
}

const mappingsText = (mappings: readonly IDMapping[]): string =>
  `[]*IDMapping{${mappings.map((mapping) => `${mappingText(mapping)},`).join('')}}`;

const mappingText = ({ hostId, containerId, length }: IDMapping): string =>
  structText('IDMapping', { HostId: hostId, ContainerId: containerId, Length: length });

const structText = (type: string, fields: Readonly<Record<string, unknown>>): string =>
  `&${type}{${Object.entries(fields)
    .map(([name, value]) => `${name}:${value ?? ''},`)
    .join('')}}`;
