import { CriError, StatusError } from '../../../cri/errors.js';
import type { Image } from '../../../cri/gen/runtime/v1/api.js';
import { parseImageReference } from '../../../cri/image-reference.js';
import type { CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { namedUser, pullingDigests } from '../images.js';
import { imageInfo } from '../info.js';
import { dockerFault } from './errors.js';

type ImageService = Pick<
  CriService,
  'listImages' | 'imageStatus' | 'pullImage' | 'removeImage' | 'imageFsInfo'
>;

/** The image service: digests from PullImage, and RemoveImage by id only. */
export const dockerImages = (engine: CriService): ImageService => ({
  listImages: async (request, call) => {
    const reply = await engine.listImages(request, call);
    return Buffer.isBuffer(reply) ? reply : { images: reply.images.map(listedImage) };
  },
  imageStatus: async (request, call) => {
    const name = request.image?.image ?? '';
    checkName(name);
    if (!isFullReference(name)) return { image: undefined, info: {} };
    const reply = await engine.imageStatus(request, call);
    if (Buffer.isBuffer(reply) || reply.image === undefined) return reply;
    return { image: shownImage(reply.image), info: request.verbose ? imageInfo(reply.info) : {} };
  },
  pullImage: pullingDigests(engine),
  // Only an id finds an image; any other reference counts as an absent image (core/image.go).
  removeImage: (request, call) => {
    const name = request.image?.image ?? '';
    checkName(name);
    return isId(name) ? engine.removeImage(request, call) : {};
  },
  imageFsInfo: async (request, call) => {
    const reply = await engine.imageFsInfo(request, call);
    if (Buffer.isBuffer(reply)) return reply;
    const shown = { fsId: { mountpoint: '/var/lib/docker' } };
    return {
      imageFilesystems: reply.imageFilesystems.map((usage) => ({ ...usage, ...shown })),
      containerFilesystems: reply.containerFilesystems.map((usage) => ({
        ...usage,
        ...shown,
        inodesUsed: undefined,
      })),
    };
  },
});

const isId = (name: string): boolean => /^sha256:[0-9a-f]{64}$/.test(name);

/** A name, or a whole id with its algorithm. */
const isFullReference = (name: string): boolean => isId(name) || parseImageReference(name) !== undefined;

const listedImage = (image: Image): Image => ({ ...shownImage(image), uid: undefined, username: '' });

const shownImage = (image: Image): Image => ({
  ...image,
  spec: undefined,
  uid: namedUser(image),
});

function checkName(name: string): void {
  if (name === '') throw new CriError('invalid', 'no image', { problem: { name: 'no-image' } });
  if (/^[0-9a-f]+$/.test(name) || isId(name)) return;
  const fault = dockerFault(name);
  if (fault !== undefined)
    throw new StatusError(Code.UNKNOWN, `Error response from daemon: no such image: ${name}: ${fault}`);
}
