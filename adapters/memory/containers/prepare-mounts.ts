import { CriError, invalid, notFound } from '../../../src/cri/errors.js';
import type { ContainerSpec } from '../../../src/engine/backend.js';
import { HostNode } from '../../../src/linux/fs/host-node.js';
import { type ImageDirectory, lookupImage } from '../../../src/linux/fs/image-tree.js';

/**
 * Ensures that everything a container mounts exists, before it is created: a missing host path becomes a
 * directory (containerd, WithMounts), a missing image or path in one is an error (cri-api Mount.image_sub_path).
 */
export async function prepareMounts(
  { config }: ContainerSpec,
  imageRoot: (reference: string) => ImageDirectory | undefined,
): Promise<void> {
  for (const { containerPath, hostPath, image, imageSubPath } of config.mounts) {
    const at = `mount at "${containerPath}"`;
    if (image === undefined || image.image === '') {
      await HostNode.mount(hostPath).catch((error: Error) => {
        throw new CriError('internal', `${at}: host path "${hostPath}": ${error.message}`, { cause: error });
      });
      continue;
    }
    const root = imageRoot(image.image);
    if (root === undefined) throw notFound(`${at}: image "${image.image}" is not there: pull it first`);
    if (lookupImage(root, imageSubPath) === undefined) {
      throw invalid(`${at}: image "${image.image}" has no path "${imageSubPath}"`);
    }
  }
}
