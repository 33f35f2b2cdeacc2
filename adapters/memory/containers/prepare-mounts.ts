import { CriError, invalid, notFound } from '../../../src/cri/errors.js';
import { type ImageDirectory, lookupImage } from '../../../src/linux/fs/image-tree.js';
import type { NodeDisk, Place } from '../../../src/linux/fs/node-disk.js';
import type { ContainerSpec } from '../../../src/runtime/engine/backend.js';

/** Where the host paths of a container's mounts lead, by path. */
export type HostMounts = ReadonlyMap<string, Place>;

/**
 * Ensures that everything a container mounts exists, before it is created: a missing host path becomes a
 * directory (containerd, WithMounts), a missing image or path in one is an error (cri-api Mount.image_sub_path).
 * Answers the places of the host; undefined if there are none.
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
    if (root === undefined) throw notFound(`${at}: image "${image.image}" is not there: pull it first`);
    if (lookupImage(root, imageSubPath) === undefined) {
      throw invalid(`${at}: image "${image.image}" has no path "${imageSubPath}"`);
    }
  }
  return found.size === 0 ? undefined : found;
}
