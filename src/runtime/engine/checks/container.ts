import { isAbsolute, normalize } from 'node:path/posix';
import { invalid } from '../../../cri/errors.js';
import {
  type ContainerConfig,
  type ContainerMetadata,
  type ImageSpec,
  type Mount,
  MountPropagation,
  NamespaceMode,
  type RuntimeHandler,
  Signal,
} from '../../../cri/gen/runtime/v1/api.js';
import type { SandboxRecord } from '../state/records.js';
import { checkPath } from './log-path.js';
import { type CheckRules, findHandler } from './sandbox.js';
import { checkGroup, checkNamespaces, checkUser, checkUserNamespace } from './security.js';

export type CheckedConfig = ContainerConfig & {
  readonly metadata: ContainerMetadata;
  readonly image: ImageSpec;
};

/** Checks a container's config using only its sandbox (cri-api ContainerConfig). */
export function checkContainer(
  config: ContainerConfig | undefined,
  sandbox: SandboxRecord,
  { handlers, rules }: CheckRules,
): CheckedConfig {
  if (config === undefined)
    throw invalid('container config is missing', { name: 'no-config', object: 'container' });
  const { metadata, image, linux } = config;
  const handler = findHandler(handlers, sandbox.runtimeHandler);
  if (metadata === undefined)
    throw invalid('container config must include metadata', { name: 'no-metadata', object: 'container' });
  if (metadata.name === '' && !rules.emptyNames)
    throw invalid('container metadata has no name', { name: 'no-name', object: 'container', field: 'name' });
  if (image === undefined || image.image === '')
    throw invalid('container config names no image', { name: 'absent-image', image: '' });
  if (rules.checks === undefined) checkByProto(config, sandbox);
  for (const mount of config.mounts) {
    if (mount.recursiveReadOnly && rules.recursiveReadOnly) checkRecursiveReadOnly(mount, handler);
  }
  const security = linux?.securityContext;
  if (security !== undefined) {
    checkGroup(security);
    if (security.privileged && !sandbox.privileged)
      throw invalid('no privileged container is allowed in a sandbox that is not privileged', {
        name: 'unprivileged-sandbox',
      });
    const userNamespace = security.namespaceOptions?.usernsOptions;
    if (userNamespace !== undefined) checkUserNamespace(userNamespace, handler);
  }
  return { ...config, metadata, image };
}

function checkByProto(
  { stopSignal, workingDir, mounts, linux }: ContainerConfig,
  sandbox: SandboxRecord,
): void {
  if (Signal[stopSignal] === undefined || stopSignal === Signal.UNRECOGNIZED)
    throw invalid(`stop_signal ${stopSignal} is unknown`);
  checkPath('working_dir', workingDir);
  for (const mount of mounts) checkMount(mount);
  const security = linux?.securityContext;
  if (security === undefined) return;
  checkUser(security);
  const namespaces = security.namespaceOptions;
  if (namespaces === undefined) return;
  checkNamespaces(namespaces);
  if (namespaces.pid === NamespaceMode.TARGET) checkTarget(namespaces.targetId, sandbox);
}

/** The error texts are containerd's, because kubelet users know them. */
function checkTarget(id: string, sandbox: SandboxRecord): void {
  const target = sandbox.containers.find((container) => container.id === id);
  if (target === undefined)
    throw invalid(
      `invalid target container: container "${id}" does not exist in sandbox "${sandbox.id}": pid namespace mode TARGET needs the full id of a running container of the same sandbox`,
    );
  if (target.phase.state !== 'RUNNING')
    throw invalid(
      `invalid target container: container "${id}" is not running - in state CONTAINER_${target.phase.state}`,
    );
}

const mountAt = ({ containerPath }: Mount): string => `mount at "${containerPath}"`;

function checkMount(mount: Mount): void {
  const { containerPath, hostPath, image, imageSubPath, propagation } = mount;
  const at = mountAt(mount);
  checkPath('container_path', containerPath);
  checkPath('host_path', hostPath);
  if (!isAbsolute(containerPath)) throw invalid(`container_path "${containerPath}" must be an absolute path`);
  if (MountPropagation[propagation] === undefined || propagation === MountPropagation.UNRECOGNIZED)
    throw invalid(`${at} has an unknown propagation ${propagation}`);
  const hasImage = image !== undefined && image.image !== '';
  if (hasImage && hostPath !== '') throw invalid(`${at}: image and host_path exclude each other`);
  if (!hasImage && hostPath === '') throw invalid(`${at} has neither a host_path nor an image`);
  if (!hasImage && !isAbsolute(hostPath)) throw invalid(`${at}: host_path "${hostPath}" is relative`);
  if (!hasImage && imageSubPath !== '') throw invalid(`${at}: image_sub_path needs an image`);
  if (hasImage && !mount.readonly) throw invalid(`${at}: an image can only be mounted readonly`);
  if (isAbsolute(imageSubPath) || normalize(imageSubPath).split('/')[0] === '..')
    throw invalid(`${at}: image_sub_path "${imageSubPath}" leaves the image`);
}

/** cri-api Mount.recursive_read_only; the prefix is pkg/errors' ErrRROUnsupported, which kubelet looks for. */
function checkRecursiveReadOnly(mount: Mount, handler: RuntimeHandler): void {
  const at = mountAt(mount);
  if (!mount.readonly)
    throw invalid(`${at}: recursive_read_only needs readonly`, {
      name: 'writable-mount',
      hostPath: mount.hostPath,
    });
  if (mount.propagation !== MountPropagation.PROPAGATION_PRIVATE)
    throw invalid(
      `${at}: recursive_read_only needs propagation PROPAGATION_PRIVATE, not ${MountPropagation[mount.propagation]}`,
    );
  if (handler.features?.recursiveReadOnlyMounts !== true)
    throw invalid(
      `RROUnsupported: ${at}: runtime handler "${handler.name}" has no recursive read-only mounts`,
    );
}
