import { invalid } from '../../../cri/errors.js';
import type { FilesystemUsage, Image, ImageFilter, ImageSpec } from '../../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../cri/service.js';
import type { Engine } from '../engine.js';
import { stringify } from './info.js';

type ImageService = Pick<
  CriService,
  'listImages' | 'imageStatus' | 'pullImage' | 'removeImage' | 'imageFsInfo'
>;

/** Throws `invalid` for an empty image reference. */
export function imageService(engine: Engine): ImageService {
  const { images } = engine.backend;
  return {
    listImages: async ({ filter }) => ({ images: await selectImages(engine, filter) }),

    imageStatus: async ({ image: spec, verbose }) => {
      const image = await images.find(required(spec));
      if (image === undefined) return { image: undefined, info: {} };
      return { image, info: verbose ? { info: stringify(await images.inspect(image.id)) } : {} };
    },

    pullImage: async ({ image, auth, sandboxConfig }, call) => {
      required(image);
      const pull = { image: image as ImageSpec, auth, sandboxConfig };
      return { imageRef: await images.pull(pull, call) };
    },

    // Any of its names removes the image with all its names; an absent one succeeds (cri-api RemoveImage).
    removeImage: async ({ image: spec }, call) => {
      const image = await images.find(required(spec));
      if (image !== undefined) await images.remove(image.id, call);
      return {};
    },

    imageFsInfo: async () => {
      const { images: imageUsage, containers } = await images.fsInfo();
      return { imageFilesystems: [...imageUsage], containerFilesystems: [...containers] } satisfies {
        imageFilesystems: FilesystemUsage[];
        containerFilesystems: FilesystemUsage[];
      };
    },
  };
}

/** A filter names one image in any form that ImageStatus accepts (CRI-O; containerd ignores it). */
export async function selectImages(engine: Engine, filter: ImageFilter | undefined): Promise<Image[]> {
  const { images } = engine.backend;
  const reference = filter?.image?.image ?? '';
  if (reference === '') return [...(await images.list())];
  const image = await images.find(reference);
  return image === undefined ? [] : [image];
}

function required(spec: ImageSpec | undefined): string {
  if (spec === undefined || spec.image === '') throw invalid('no image is specified', { name: 'no-image' });
  return spec.image;
}
