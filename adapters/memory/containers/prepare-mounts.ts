import { CriError, invalid, notFound } from '../../../src/cri/errors.js';
import type { ContainerSpec } from '../../../src/engine/backend.js';
import type { HostPlaces } from '../../../src/host/host-places.js';
import { HostFileError, type HostRoot } from '../../../src/host/pinned.js';
import { asFileError } from '../../../src/linux/fs/host-node.js';
import { type ImageDirectory, lookupImage } from '../../../src/linux/fs/image-tree.js';

/** Where the host paths of a container's mounts lead, by path. What comes in the place of one later is not mounted. */
export type HostMounts = ReadonlyMap<string, HostRoot>;

/**
 * Ensures that everything a container mounts exists, before it is created: a missing host path becomes a
 * directory (containerd, WithMounts), a missing image or path in one is an error (cri-api Mount.image_sub_path).
 * Answers the places of the host; undefined if there are none.
 */
export async function prepareMounts(
  { config }: Pick<ContainerSpec, 'config'>,
  places: HostPlaces,
  imageRoot: (reference: string) => ImageDirectory | undefined,
): Promise<HostMounts | undefined> {
  const found = new Map<string, HostRoot>();
  for (const { containerPath, hostPath, image, imageSubPath, readonly } of config.mounts) {
    const at = `mount at "${containerPath}"`;
    if (image === undefined || image.image === '') {
      const place = await findPlace(places, hostPath).catch((error: Error) => {
        throw new CriError('internal', `${at}: host path "${hostPath}": ${error.message}`, { cause: error });
      });
      found.set(hostPath, place);
      if (!readonly) await places.write(place);
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

/** Rejects with a text for clients: with what is wrong with a link, or as a command would say it. */
async function findPlace(places: HostPlaces, path: string): Promise<HostRoot> {
  try {
    return await places.make(path);
  } catch (error) {
    if (error instanceof HostFileError) throw error;
    return asFileError(Promise.reject(error));
  }
}
