import type { Image } from '../../../src/cri/gen/runtime/v1/api.js';
import { after, inStatus, type Mutant, mutant, onFailure, refuse } from './mutant.js';

export const imageMutants: readonly Mutant[] = [
  mutant('PullImage returns a digest instead of the id', 'INV-36.one-id', (real) => ({
    pullImage: async (request, call) => {
      await real.pullImage(request, call);
      const { image } = await real.imageStatus({ image: request.image, verbose: false }, call);
      return { imageRef: image?.repoDigests[0] ?? '' };
    },
  })),
  mutant(
    'image_id is empty in ContainerStatus',
    'INV-36.one-id',
    inStatus((status) => {
      status.imageId = '';
    }),
  ),
  mutant('a second pull returns another id', 'INV-37.pull', (real) => {
    let pulls = 0;
    return after('pullImage', (reply) => {
      reply.imageRef += `-${pulls++}`;
    })(real);
  }),
  mutant(
    'images have no size',
    'INV-37.pull',
    after('imageStatus', ({ image }) => {
      if (image) image.size = 0n;
    }),
  ),
  mutant('a pulled image is not listed', 'INV-37.pull', () => ({ listImages: async () => ({ images: [] }) })),
  mutant('RemoveImage is OK and does nothing', 'INV-37.remove', () => ({ removeImage: async () => ({}) })),
  mutant('RemoveImage removes only the tag', 'INV-37.remove', (real) => {
    const kept = new Map<string, Image>();
    return {
      removeImage: async (request, call) => {
        const { image } = await real.imageStatus({ image: request.image, verbose: false }, call);
        if (image)
          for (const name of [image.id, ...image.repoDigests]) kept.set(name, { ...image, repoTags: [] });
        return real.removeImage(request, call);
      },
      ...after('imageStatus', (reply, { image }) => {
        reply.image ??= kept.get(image?.image ?? '');
      })(real),
    };
  }),
  mutant('RemoveImage also removes another image', 'INV-37.remove', (real) => {
    let removed = false;
    return {
      ...after('removeImage', () => {
        removed = true;
      })(real),
      ...after('listImages', ({ images }) => {
        if (removed) images.pop();
      })(real),
    };
  }),
  mutant(
    'an image is not found by its digest',
    'INV-38.normal-form',
    after('imageStatus', (reply, { image }) => {
      if (image?.image.includes('@')) reply.image = undefined;
    }),
  ),
  mutant(
    'repo_tags have no tag',
    'INV-38.normal-form',
    after('imageStatus', ({ image }) => {
      if (image) image.repoTags = image.repoTags.map((name) => name.slice(0, name.lastIndexOf(':')));
    }),
  ),
  mutant(
    'an uppercase repository is pulled',
    'INV-38.invalid',
    onFailure('pullImage', (error, { image }) => {
      if (/[A-Z]/.test(image?.image ?? '')) return { imageRef: 'sha256:upper' };
      throw error;
    }),
  ),
  mutant(
    'an id is pulled as if it were a repository',
    'INV-38.invalid',
    onFailure('pullImage', (error, { image }) => {
      if (/^[0-9a-f]{64}$/.test(image?.image ?? '')) return { imageRef: 'sha256:id' };
      throw error;
    }),
  ),
  mutant(
    'a pull by digest records a tag',
    'INV-39.digest',
    after('imageStatus', ({ image }, request) => {
      if (image && request.image?.image.includes('@')) image.repoTags = ['localhost/made-up:1'];
    }),
  ),
  mutant(
    'ImageStatus of an absent image fails',
    'INV-40.absent',
    after('imageStatus', (reply, { image }) => {
      if (reply.image === undefined && image?.image.includes('no-such-image')) refuse(5);
    }),
  ),
  mutant('a failed pull creates an image', 'INV-40.absent', (real) => {
    const left: Image[] = [];
    return {
      ...onFailure('pullImage', async (error, _, __, call) => {
        const { images } = await real.listImages({ filter: undefined }, call);
        if (images[0]) left.push({ ...images[0], id: 'sha256:partial', repoTags: [] });
        throw error;
      })(real),
      ...after('listImages', ({ images }) => {
        images.push(...left);
      })(real),
    };
  }),
  mutant(
    'ImageFsInfo has no mountpoint',
    'INV-41.fs-info',
    after('imageFsInfo', ({ imageFilesystems }) => {
      for (const one of imageFilesystems) one.fsId = undefined;
    }),
  ),
  mutant(
    'ImageFsInfo has no timestamp',
    'INV-41.fs-info',
    after('imageFsInfo', ({ imageFilesystems }) => {
      for (const one of imageFilesystems) one.timestamp = 0n;
    }),
  ),
  mutant('the removal of images increases usage', 'INV-41.fs-info', (real) => {
    let removals = 0n;
    return {
      ...after('removeImage', () => {
        removals++;
      })(real),
      ...after('imageFsInfo', ({ imageFilesystems: [first] }) => {
        if (first?.usedBytes) first.usedBytes.value += removals * 1_000_000_000n;
      })(real),
    };
  }),
  mutant('a container loses its image_ref with the image', 'INV-42.in-use', (real) => {
    let removed = false;
    return {
      ...after('removeImage', () => {
        removed = true;
      })(real),
      ...inStatus((status) => {
        if (removed) status.imageRef = '';
      })(real),
    };
  }),
];
