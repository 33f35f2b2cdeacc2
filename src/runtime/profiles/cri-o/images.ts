import { StatusError } from '../../../cri/errors.js';
import { type Image, ImageSpec } from '../../../cri/gen/runtime/v1/api.js';
import { referenceFault } from '../../../cri/reference-fault.js';
import type { CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { forAnyServer, namedUser } from '../images.js';
import { imageInfo } from '../info.js';
import { unparsed } from './errors.js';

type ImageService = Pick<CriService, 'listImages' | 'imageStatus' | 'pullImage' | 'removeImage'>;

/** The image service: ids without `sha256:`, valid names only, an id from PullImage. */
export const crioImages = (engine: CriService): ImageService => ({
  listImages: async (request, call) => {
    const reply = await engine.listImages(request, call);
    return Buffer.isBuffer(reply) ? reply : { images: reply.images.map(shownImage) };
  },
  imageStatus: async (request, call) => {
    checkName(request.image?.image);
    const reply = await engine.imageStatus(request, call);
    if (Buffer.isBuffer(reply) || reply.image === undefined) return reply;
    const image = { ...shownImage(reply.image), spec: reply.image.spec ?? ImageSpec.fromPartial({}) };
    return { image, info: request.verbose ? imageInfo(reply.info) : {} };
  },
  pullImage: async (request, call) => {
    const reply = await engine.pullImage(forAnyServer(request), call);
    return Buffer.isBuffer(reply) ? reply : { imageRef: bareId(reply.imageRef) };
  },
  removeImage: (request, call) => {
    checkName(request.image?.image);
    return engine.removeImage(request, call);
  },
});

const shownImage = (image: Image): Image => ({
  ...image,
  id: bareId(image.id),
  uid: namedUser(image),
});

const bareId = (id: string): string => id.replace(/^sha256:/, '');

const ID = /^(sha256:)?[0-9a-f]{3,64}$/;

function checkName(name = ''): void {
  if (name === '' || ID.test(name) || referenceFault(name) === undefined) return;
  throw new StatusError(Code.UNKNOWN, unparsed(name));
}
