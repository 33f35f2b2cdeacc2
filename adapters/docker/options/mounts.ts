import type { DeviceMapping, MountSettings } from 'dockerode';
import { unsupported } from '../../../src/cri/errors.js';
import { type Device, type Mount, MountPropagation } from '../../../src/cri/gen/runtime/v1/api.js';

const propagation = {
  [MountPropagation.PROPAGATION_PRIVATE]: 'rprivate',
  [MountPropagation.PROPAGATION_HOST_TO_CONTAINER]: 'rslave',
  [MountPropagation.PROPAGATION_BIDIRECTIONAL]: 'rshared',
  [MountPropagation.UNRECOGNIZED]: 'rprivate',
} as const;

/** A bind mount, whose host path must exist. Throws `unsupported` if Docker can't mount it. */
export function bindMount(mount: Mount): MountSettings {
  const at = `mount at "${mount.containerPath}"`;
  if (mount.image !== undefined && mount.image.image !== '')
    throw unsupported(`${at}: the Docker backend can't mount images`);
  if (mount.uidMappings.length + mount.gidMappings.length > 0)
    throw unsupported(`${at}: Docker has no id-mapped mounts`);
  if (mount.mountOptions.length > 0)
    throw unsupported(`${at}: Docker takes no mount options, got ${mount.mountOptions.join(', ')}`);
  return {
    Type: 'bind',
    Source: mount.hostPath,
    Target: mount.containerPath,
    ReadOnly: mount.readonly,
    BindOptions: { Propagation: propagation[mount.propagation] },
  };
}

/** Without permissions it gets all of them, as in Docker. */
export const deviceMapping = ({ hostPath, containerPath, permissions }: Device): DeviceMapping => ({
  PathOnHost: hostPath,
  PathInContainer: containerPath,
  CgroupPermissions: permissions || 'rwm',
});
