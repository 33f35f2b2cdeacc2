import { Account, memoryOf } from '../../../src/base/input/account.js';
import { forgetOldest } from '../../../src/base/input/forget-oldest.js';
import { CriError } from '../../../src/cri/errors.js';
import type { Image } from '../../../src/cri/gen/runtime/v1/api.js';
import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
} from '../../../src/cri/image-reference.js';
import type { ImageContent } from '../../../src/linux/fs/image-content.js';
import { contentOf, digestOf, idOf, type Layer, layersOf } from './catalog.js';

export interface StoredImage {
  readonly id: string;
  /** In bytes. */
  cost: number;
  readonly content: ImageContent;
  readonly layers: readonly Layer[];
  readonly tags: Set<string>;
  readonly digests: Set<string>;
}

const NAME_COST = 256;

export class ImageStore {
  readonly #byId = new Map<string, StoredImage>();
  readonly #byName = new Map<string, StoredImage>();
  /** The content of known digests, so that a pull by digest finds the content of a tag. */
  readonly #contents = new Map<string, ImageContent>();
  readonly #contentOf: typeof contentOf;
  readonly #account: Account;

  /** `contents` is the registry; `account` pays for the stored images. */
  constructor(contents = contentOf, account = new Account()) {
    this.#contentOf = contents;
    this.#account = account;
  }

  list(): StoredImage[] {
    return [...this.#byId.values()];
  }

  get(id: string): StoredImage | undefined {
    return this.#byId.get(id);
  }

  /** Finds an image by id (`sha256:…`, bare, or a unique prefix of it), tag or digest reference. */
  find(text: string): StoredImage | undefined {
    const byId = this.#byId.get(text) ?? this.#byId.get(`sha256:${text}`);
    if (byId) return byId;
    const reference = parseImageReference(text);
    const byName = reference && this.#byName.get(formatImageReference(reference));
    return byName ?? this.#findByPrefix(text);
  }

  /** Adds a pulled image, and takes its tag from the image that had it. Throws `exhausted` when memory runs out. */
  add(reference: ImageReference): StoredImage {
    const content = (reference.digest && this.#contents.get(reference.digest)) || this.#contentOf(reference);
    const image = this.#byId.get(idOf(content.key)) ?? this.#create(content);
    const digest = reference.digest ?? digestOf(content.key);
    this.#contents.set(digest, content);
    forgetOldest(this.#contents);
    this.#name(image, image.digests, `${reference.repository}@${digest}`);
    if (reference.digest === undefined) this.#name(image, image.tags, formatImageReference(reference));
    return image;
  }

  remove(id: string): void {
    const image = this.#byId.get(id);
    if (image === undefined) return;
    this.#byId.delete(id);
    this.#account.take(-image.cost);
    for (const name of [...image.tags, ...image.digests]) this.#byName.delete(name);
  }

  /** Bytes of all distinct layers (INV-41). */
  get usedBytes(): number {
    const sizes = new Map(
      this.list().flatMap(({ layers }) => layers.map(({ digest, size }) => [digest, size] as const)),
    );
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  #create(content: ImageContent): StoredImage {
    const id = idOf(content.key);
    const layers = layersOf(content.key);
    const image = {
      id,
      cost: 0,
      content,
      layers,
      tags: new Set<string>(),
      digests: new Set<string>(),
    };
    this.#charge(image, memoryOf(layers) + memoryOf(content));
    this.#byId.set(id, image);
    return image;
  }

  #name(image: StoredImage, names: Set<string>, name: string): void {
    const before = this.#byName.get(name);
    if (!names.has(name)) this.#charge(image, NAME_COST + name.length);
    if (before !== image) before?.tags.delete(name);
    this.#byName.set(name, image);
    names.add(name);
  }

  #charge(image: StoredImage, bytes: number): void {
    if (!this.#account.take(bytes))
      throw new CriError(
        'exhausted',
        'no memory is left for this image: remove some, or raise --memory-limit',
      );
    image.cost += bytes;
  }

  #findByPrefix(text: string): StoredImage | undefined {
    const prefix = text.replace(/^sha256:/, '');
    if (!/^[0-9a-f]{3,63}$/.test(prefix)) return undefined;
    const found = this.list().filter((image) => image.id.startsWith(`sha256:${prefix}`));
    return found.length === 1 ? found[0] : undefined;
  }
}

export function describeImage(image: StoredImage): Image {
  const { uid, username = '', pinned } = image.content;
  return {
    id: image.id,
    repoTags: [...image.tags],
    repoDigests: [...image.digests],
    size: BigInt(image.layers.reduce((sum, layer) => sum + layer.size, 0)),
    uid: username === '' ? { value: BigInt(uid ?? 0) } : undefined,
    username,
    spec: undefined,
    pinned,
  };
}
