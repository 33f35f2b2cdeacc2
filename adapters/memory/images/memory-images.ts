import type { Account } from '../../../src/base/input/account.js';
import type { FilesystemUsage } from '../../../src/cri/gen/runtime/v1/api.js';
import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
} from '../../../src/cri/image-reference.js';
import type { ImageBackend } from '../../../src/runtime/engine/backend/images.js';
import type { UnknownImages } from '../guess/facts.js';
import { MOUNTPOINT } from '../usage/usage.js';
import { assumedContentOf, contentOf } from './catalog.js';
import { describeImage, ImageStore, type StoredImage } from './image-store.js';
import { createPulls, type PullOptions, ruleFor } from './pulls.js';

export interface MemoryImagesOptions extends Omit<PullOptions, 'store'> {
  readonly present: readonly string[];
  readonly isLoaded?: ((reference: string) => boolean) | undefined;
  readonly unknownImages: UnknownImages;
  /** Unknown images that run as root. */
  readonly rootImages: readonly string[];
  readonly account?: Account | undefined;
}

export interface MemoryImages extends ImageBackend {
  readonly store: ImageStore;
}

export function createMemoryImages(options: MemoryImagesOptions): MemoryImages {
  const { clock, rules, latency, live, present, isLoaded = () => false, account } = options;
  const { unknownImages, rootImages } = options;
  const asRoot = new Set(rootImages.map((name) => formatImageReference(referenceOf(name))));
  const contents = (reference: ImageReference) =>
    unknownImages === 'run' && !asRoot.has(formatImageReference(reference))
      ? assumedContentOf(reference)
      : contentOf(reference);
  const contentUnderRules = (reference: ImageReference) => {
    const content = contents(reference);
    const { pinned = content.pinned } = ruleFor(rules, reference) ?? {};
    return { ...content, pinned };
  };
  const store = new ImageStore(contentUnderRules, account);
  const add = (name: string) => store.add(referenceOf(name));
  for (const name of present) add(name);
  const usage = (used: number, inodes: number): FilesystemUsage => ({
    timestamp: clock.now(),
    fsId: { mountpoint: MOUNTPOINT },
    usedBytes: { value: BigInt(used) },
    inodesUsed: { value: BigInt(inodes) },
  });

  return {
    store,
    pull: createPulls({ clock, rules, latency, store, live }),
    list: async () => store.list().map(describeImage),
    find: async (reference) => {
      const image = store.find(reference) ?? (isLoaded(reference) ? add(reference) : undefined);
      return image && describeImage(image);
    },
    remove: async (imageId) => store.remove(imageId),
    fsInfo: async () => ({
      images: [usage(store.usedBytes, store.list().length * 100)],
      containers: [usage(0, 1)],
    }),
    inspect: async (imageId) => inspect(store.get(imageId)),
  };
}

function inspect(image: StoredImage | undefined): Record<string, unknown> {
  if (image === undefined) return {};
  const { content, layers } = image;
  const group = content.gid === undefined ? '' : `:${content.gid}`;
  const config = {
    User: content.username ?? `${content.uid ?? ''}${group}`,
    Env: Object.entries(content.env).map(([key, value]) => `${key}=${value}`),
    Cmd: content.command,
  };
  const rootfs = { type: 'layers', diff_ids: layers.map((layer) => layer.digest) };
  return {
    chainID: layers.at(-1)?.digest,
    imageSpec: { architecture: 'amd64', os: 'linux', config, rootfs },
  };
}

function referenceOf(name: string): ImageReference {
  const reference = parseImageReference(name);
  if (reference === undefined) throw new TypeError(`no image reference: ${JSON.stringify(name)}`);
  return reference;
}
