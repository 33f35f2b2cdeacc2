import { statfs } from 'node:fs/promises';
import type Dockerode from 'dockerode';
import type { ImageInfo, ImageInspectInfo } from 'dockerode';
import type { FilesystemUsage, Image } from '../../../src/cri/gen/runtime/v1/api.js';
import { formatImageReference, parseImageReference } from '../../../src/cri/image-reference.js';
import type { ImageBackend, ImageFsUsage } from '../../../src/runtime/engine/backend/images.js';
import type { Context } from '../context.js';
import { messageOf, statusOf, toCriError, unlessMissing } from '../errors.js';
import { inTurns } from '../in-turns.js';
import { pullImage } from './pull.js';

interface DiskUsage {
  readonly LayersSize?: number;
  readonly Containers?: readonly { readonly SizeRw?: number }[] | null;
}

/** Docker's images are shared: all are listed, and a client may remove any. */
export function createImages(context: () => Context, pinned: string): ImageBackend {
  const isPinned = (names: readonly string[]) => names.includes(fullName(pinned));
  const removals = new Map<string, Promise<unknown>>();
  const find = async (reference: string): Promise<Image | undefined> => {
    const { docker } = context();
    for (const name of candidates(reference)) {
      const info = await inspect(docker, name);
      if (info !== undefined) return imageOf(info, isPinned);
    }
    return undefined;
  };
  const list = async (): Promise<Image[]> => {
    const { docker } = context();
    const listed = await docker.listImages();
    const named = listed.filter((one) => names(one.RepoTags).length + names(one.RepoDigests).length > 0);
    const infos = await inTurns(named, ({ Id }: ImageInfo) => inspect(docker, Id));
    return infos.flatMap((info) => (info === undefined ? [] : [imageOf(info, isPinned)]));
  };
  return {
    find,
    list: () => reported('listing images', list()),
    pull: async (request, { signal }) => {
      const reference = await pullImage(context(), request, signal);
      const image = await find(reference);
      if (image === undefined) throw toCriError(new Error('it does not exist'), `pulling ${reference}`);
      return image.id;
    },
    // During a removal, Docker answers a second one immediately with "no such image".
    remove: (imageId) => {
      const image = context().docker.getImage(imageId);
      const removal =
        removals.get(imageId) ??
        reported(`removing image ${imageId}`, unlessMissing(image.remove({ force: true }))).finally(() =>
          removals.delete(imageId),
        );
      removals.set(imageId, removal);
      return removal.then(() => {});
    },
    fsInfo: () => diskUsage(context()),
    inspect: async (imageId) => {
      const info = await inspect(context().docker, imageId);
      if (info === undefined) return {};
      return { imageSpec: { config: info.Config }, chainID: info.RootFS?.Layers?.at(-1), docker: info };
    },
  };
}

/** The size of images and writable layers, as Docker counts it. */
async function diskUsage({
  docker,
  clock,
  local,
  rootDirectory: mountpoint,
}: Context): Promise<ImageFsUsage> {
  try {
    const usage = (await docker.df()) as DiskUsage;
    const inodes = local ? await inodesUsed(mountpoint) : 0n;
    const entry = (bytes: number, inodesUsed: bigint): FilesystemUsage => ({
      timestamp: clock.now(),
      fsId: { mountpoint },
      usedBytes: { value: BigInt(bytes) },
      inodesUsed: { value: inodesUsed },
    });
    const written = (usage.Containers ?? []).reduce((sum, { SizeRw }) => sum + (SizeRw ?? 0), 0);
    return { images: [entry(usage.LayersSize ?? 0, inodes)], containers: [entry(written, 0n)] };
  } catch (error) {
    throw toCriError(error, "measuring Docker's disk usage");
  }
}

/** Usage of the whole file system, because Docker doesn't measure its own; 0 if the file system isn't local. */
async function inodesUsed(directory: string): Promise<bigint> {
  try {
    const { files, ffree } = await statfs(directory, { bigint: true });
    return files - ffree;
  } catch {
    return 0n;
  }
}

/** Returns an id, or names; a word that could be both, such as `abcdef`, is looked up as a name first, as in Docker. */
function candidates(reference: string): string[] {
  if (/^sha256:[0-9a-f]{64}$/.test(reference)) return [reference];
  const parsed = parseImageReference(reference);
  // Anything else may be an id. Docker's client refuses other characters in a path.
  if (parsed === undefined) return /^[\w:.@/-]+$/.test(reference) ? [reference] : [];
  return /^[0-9a-f]{3,64}$/.test(reference)
    ? [formatImageReference(parsed), reference]
    : [formatImageReference(parsed)];
}

async function inspect(docker: Dockerode, name: string): Promise<ImageInspectInfo | undefined> {
  try {
    return await unlessMissing(docker.getImage(name).inspect());
  } catch (error) {
    // Docker refuses the name.
    if (statusOf(error) === 400) return undefined;
    // Docker is removing it: its layers are gone, but its name still exists (layer/layer.go ErrLayerDoesNotExist).
    if (messageOf(error) === 'layer does not exist') return undefined;
    throw toCriError(error, `looking for image ${name}`);
  }
}

function imageOf(info: ImageInspectInfo, isPinned: (names: readonly string[]) => boolean): Image {
  const repoTags = names(info.RepoTags);
  const user = (info.Config?.User ?? '').split(':')[0] ?? '';
  const isNumber = /^\d+$/.test(user);
  return {
    id: info.Id,
    repoTags,
    repoDigests: names(info.RepoDigests),
    size: BigInt(info.Size),
    uid: user === '' || isNumber ? { value: BigInt(user || 0) } : undefined,
    username: isNumber ? '' : user,
    spec: { image: info.Id, annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: info.Id },
    pinned: isPinned(repoTags),
  };
}

/** Docker omits its own registry and `library/`; the CRI has full names. */
const names = (given: readonly string[] | undefined): string[] =>
  (given ?? []).filter((name) => !name.includes('<none>')).map(fullName);

function fullName(name: string): string {
  const parsed = parseImageReference(name);
  return parsed === undefined ? name : formatImageReference(parsed);
}

async function reported<T>(what: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw toCriError(error, what);
  }
}
