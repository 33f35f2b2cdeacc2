import { CriError, invalid, notFound } from '../../../src/cri/errors.js';
import { type ImageDirectory, lookupImage } from '../../../src/linux/fs/image-tree.js';
import type { NodeDisk, Place } from '../../../src/linux/fs/node-disk.js';
import type { ContainerSpec } from '../../../src/runtime/engine/backend.js';

export type HostMounts = ReadonlyMap<string, Place>;

/**
 * Creates a container's missing host paths as directories (containerd, WithMounts); throws for a missing image or a
 * path that it lacks (cri-api Mount.image_sub_path). Returns the places on the host; undefined if there are none.
 */
export async function prepareMounts(
  { config }: Pick<ContainerSpec, 'config'>,
  disk: NodeDisk,
  imageRoot: (reference: string) => ImageDirectory | undefined,
): Promise<HostMounts | undefined> {
  const found = new Map<string, Place>();
  for (const { containerPath, hostPath, image, imageSubPath, readonly } of config.mounts) {
    const at = `mount at "${containerPath}"`;
    if (image === undefined || image.image === '') {
      const place = await disk.find(hostPath, !readonly).catch((error: Error) => {
        throw new CriError('internal', `${at}: host path "${hostPath}": ${error.message}`, { cause: error });
      });
      found.set(hostPath, place);
      continue;
    }
    const root = imageRoot(image.image);
    if (root === undefined) throw notFound(`${at}: image "${image.image}" does not exist: pull it first`);
    if (lookupImage(root, imageSubPath) === undefined) {
      throw invalid(`${at}: image "${image.image}" has no path "${imageSubPath}"`);
    }
  }
  return found.size === 0 ? undefined : found;
}
